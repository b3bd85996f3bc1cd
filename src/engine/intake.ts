// From a submission to a group of sequences: tokenise, truncate, check what only the model can tell. Engine process.

import { createHash, randomBytes } from 'node:crypto';
import { KoineError } from '../protocol/index.js';
import type { ModelFacts, ModelRunner } from './model-runner.js';
import { SequenceOutput } from './output.js';
import type { PromptInput, Submission } from './process/messages.js';
import { choiceSeed, type SamplerWorkspace, SequenceSampler } from './sampling/index.js';
import {
  type Group,
  type OutputMatcher,
  type Prompt,
  type RowSpan,
  Sequence,
  type SequenceParts,
} from './sequence.js';
import type { TokenTable } from './text/index.js';
import type { TextBounds } from './text-bounds.js';

/** Bias that keeps a token from ever being picked. */
const BAN = Number.NEGATIVE_INFINITY;
/** A text that has not surely more tokens is counted exactly, also where it does not fit: that takes a tenth of a second. */
const COUNTED_TOKENS = 65_536;

export interface IntakeParts {
  readonly runner: ModelRunner;
  readonly facts: ModelFacts;
  readonly workspace: SamplerWorkspace;
  readonly table: TokenTable;
  readonly bounds: TextBounds;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Turns the prompt of a submission into tokens. Throws `KoineError` with what is wrong with it. */
function readPrompt(parts: IntakeParts, submission: Submission): Prompt {
  const { truncateTo } = submission;
  const whole = tokensOf(parts, submission);
  if (truncateTo === undefined || whole.tokens.length <= truncateTo) return whole;
  if (whole.rowSpans.length > 0) {
    throw new KoineError('unsupported', 'a prompt with media cannot be truncated', { field: 'truncateTo' });
  }
  return { tokens: whole.tokens.slice(whole.tokens.length - truncateTo), rowSpans: [] };
}

/** Makes the group of a submission. Throws `KoineError` when it cannot be run at all. */
export function createGroup(
  parts: IntakeParts,
  submission: Submission,
  arrival: number,
  matchers: readonly OutputMatcher[] | undefined,
): Group {
  const prompt = readPrompt(parts, submission);
  checkLength(parts, prompt.tokens.length, submission);
  if (prompt.rowSpans.length > 0 && submission.output.promptLogprobs !== undefined) {
    throw new KoineError('unsupported', 'a prompt with media has no log-probabilities', {
      field: 'promptLogprobs',
    });
  }
  const { sampling } = submission;
  const seed = sampling.seed === undefined ? randomBytes(8).readBigUInt64LE() : BigInt(sampling.seed);
  const group: Group = {
    key: submission.key,
    id: submission.id,
    priority: submission.priority,
    arrival,
    adapter: submission.adapter ?? null,
    scope: submission.adapter ?? '',
    usePrefixCache: submission.usePrefixCache,
    stop: submission.stop,
    output: submission.output,
    n: submission.n,
    bestOf: Math.max(submission.bestOf, submission.n),
    seed,
    isGreedy: sampling.temperature === 0,
    sequences: [],
    promptScores: [],
    held: new Map(),
    arrivedMs: parts.now(),
    startedMs: 0,
    firstTokenMs: 0,
    cachedTokens: 0,
    hasStarted: false,
    live: 0,
  };
  for (let choice = 0; choice < group.bestOf; choice++) {
    group.sequences.push(
      createSequence(parts, submission, group, { choice, prompt, matcher: matchers?.[choice] }),
    );
  }
  group.live = group.bestOf;
  return group;
}

function createSequence(
  { runner, workspace, table }: IntakeParts,
  submission: Submission,
  group: Group,
  { choice, prompt, matcher }: Pick<SequenceParts, 'choice' | 'prompt' | 'matcher'>,
): Sequence {
  const { seed: _, ...sampling } = submission.sampling;
  // JSON, which brought the request here, has no infinity: a banned token's bias arrives as null.
  const logitBias = sampling.logitBias.map(([token, bias]) => [token, bias ?? BAN] as const);
  const sampler = new SequenceSampler(
    { ...sampling, logitBias },
    {
      workspace,
      seed: choiceSeed(group.seed, choice),
      eogTokens: runner.info.eogTokens,
      prompt: prompt.tokens,
      tokenBytes: (token) => runner.tokenBytes(token),
      rawLogprobs:
        submission.output.logprobsOf === 'raw' &&
        (submission.output.logprobs !== undefined || group.bestOf > 1),
    },
  );
  const room = runner.info.contextPerSequence - prompt.tokens.length;
  const maxNew = Math.min(room, submission.stop.maxNewTokens ?? room);
  const output = new SequenceOutput(submission.stop, submission.output, table, submission.markers);
  const maxLength = prompt.tokens.length + maxNew;
  return new Sequence(group, { choice, prompt, sampler, output, maxLength, matcher });
}

function checkLength({ runner }: IntakeParts, length: number, submission: Submission): void {
  if (length === 0) throw new KoineError('invalid_request', 'the prompt is empty', { field: 'prompt' });
  const limit = runner.info.contextPerSequence;
  if (length >= limit) throw tooLong(submission, { length, limit, isExact: true });
}

interface Excess {
  readonly length: number;
  readonly limit: number;
  /** Else there are more tokens, of which nobody knows how many. */
  readonly isExact: boolean;
}

function tooLong({ stop }: Submission, { length, limit, isExact }: Excess): KoineError {
  return new KoineError(
    'too_long',
    `the prompt has ${length} tokens${isExact ? '' : ' or more'}; the context holds ${limit}, with the output`,
    {
      promptTokens: length,
      limitTokens: limit,
      ...(stop.maxNewTokens === undefined ? {} : { maxNewTokens: stop.maxNewTokens }),
    },
  );
}

function tokensOf(parts: IntakeParts, submission: Submission): Prompt {
  const { runner, facts } = parts;
  const { prompt: input } = submission;
  switch (input.kind) {
    case 'text':
      return { tokens: textTokens(parts, input, submission), rowSpans: [] };
    case 'tokens':
      return { tokens: checkedTokens(input.tokens, runner.info.vocabSize), rowSpans: [] };
    case 'infill': {
      const markers = facts.infillTokens;
      if (markers === undefined) {
        throw new KoineError(
          'unsupported',
          'the model has no fill-in-the-middle tokens: leave the suffix out',
        );
      }
      const plain = { addSpecial: false, parseSpecial: false };
      const prefix = textTokens(parts, { text: input.prefix, ...plain }, submission);
      const suffix = textTokens(parts, { text: input.suffix, ...plain }, submission);
      const tokens = [markers.prefix, ...prefix, markers.suffix, ...suffix, markers.middle];
      return { tokens: Int32Array.from(tokens), rowSpans: [] };
    }
    case 'segments':
      return joinSegments(parts, input.segments);
  }
}

/** What cannot fit is refused, or cut, before it is tokenized, unless it is so short that its length is worth telling. */
function textTokens(
  { runner, bounds }: IntakeParts,
  { text, addSpecial, parseSpecial }: Omit<Extract<PromptInput, { kind: 'text' }>, 'kind'>,
  submission: Submission,
): Int32Array {
  const { truncateTo } = submission;
  if (truncateTo !== undefined) {
    // What is put in front of a text is no part of its end.
    return runner.tokenize(bounds.end(text, parseSpecial, truncateTo), addSpecial, parseSpecial);
  }
  const limit = runner.info.contextPerSequence;
  const most = Math.max(limit, COUNTED_TOKENS);
  const length = bounds.fewest(text, parseSpecial, { limit: most, markers: limit });
  if (length !== undefined) throw tooLong(submission, { length, limit, isExact: false });
  return runner.tokenize(text, addSpecial, parseSpecial);
}

function checkedTokens(tokens: readonly number[], vocabSize: number): Int32Array {
  const bad = tokens.find((token) => !(Number.isInteger(token) && token >= 0 && token < vocabSize));
  if (bad === undefined) return Int32Array.from(tokens);
  throw new KoineError('invalid_request', `token ${bad} is not in the vocabulary of ${vocabSize}`, {
    field: 'prompt',
  });
}

function joinSegments(
  { runner }: IntakeParts,
  segments: Extract<PromptInput, { kind: 'segments' }>['segments'],
): Prompt {
  const tokens: number[] = [];
  const rowSpans: RowSpan[] = [];
  for (const segment of segments) {
    if (segment.kind === 'text') {
      tokens.push(...runner.tokenize(segment.text, tokens.length === 0, true));
      continue;
    }
    const bytes = Buffer.from(segment.rows, 'base64');
    if (bytes.length !== segment.count * runner.info.embeddingSize * 4) {
      throw new KoineError('invalid_request', 'the embedding rows are not of the width the model expects');
    }
    const rows = new Float32Array(new Uint8Array(bytes).buffer);
    rowSpans.push({ from: tokens.length, to: tokens.length + segment.count, rows });
    const marks = contentMarks(bytes);
    for (let i = 0; i < segment.count; i++) tokens.push(marks[i % marks.length] ?? -1);
  }
  return { tokens: Int32Array.from(tokens), rowSpans };
}

/**
 * Negative numbers that stand for media content, so that equal images share their prefix and others do not. All eight
 * words of a SHA-256 take part: a prefix that matched by chance would answer about somebody else's picture.
 */
function contentMarks(bytes: Uint8Array): Int32Array {
  const digest = createHash('sha256').update(bytes).digest();
  return Int32Array.from({ length: 8 }, (_, i) => digest.readInt32LE(4 * i) | (1 << 31));
}
