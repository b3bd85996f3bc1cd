// Questions beside generation: tokens and text are answered at once, embeddings one pass at a time between steps.
// Engine process.

import { KoineError, type Pooling, type TokenSpan } from '../../protocol/index.js';
import type { ModelFacts, ModelRunner } from '../model-runner.js';
import { decodeText } from '../text/index.js';
import type { TextBounds } from '../text-bounds.js';
import type { Query, QueryResult } from './messages.js';

export interface QueryParts {
  readonly runner: ModelRunner;
  readonly facts: ModelFacts;
  readonly maxEmbedTokens: number;
  readonly bounds: TextBounds;
}

type EmbedQuery = Extract<Query, { kind: 'embed' }>;

interface EmbedJob {
  readonly key: number;
  readonly query: EmbedQuery;
  readonly inputs: readonly Int32Array[];
  readonly pooling: Pooling;
  readonly vectors: string[][];
}

/** A query that is done. */
export type QueryOutcome =
  | { readonly kind: 'answer'; readonly key: number; readonly result: QueryResult }
  | { readonly kind: 'failed'; readonly key: number; readonly error: unknown };

/** Tokens of embeddings computed between two steps; a longer input still goes in one pass. */
const TOKENS_PER_TURN = 512;
/** A text to be tokenized may be so many times as long as the context: no step runs meanwhile. */
const MOST_CONTEXTS = 4;
const LEAST_COUNTED = 16_384;

/** Queries of one model. */
export class QueryQueue {
  readonly #parts: QueryParts;
  readonly #jobs: EmbedJob[] = [];

  constructor(parts: QueryParts) {
    this.#parts = parts;
  }

  get hasWork(): boolean {
    return this.#jobs.length > 0;
  }

  /** Answers what is cheap; queues embeddings and returns undefined for them. Throws `KoineError`. */
  answerNow(key: number, query: Query): QueryResult | undefined {
    switch (query.kind) {
      case 'tokenize':
        return { kind: 'tokenize', spans: this.#spans(query) };
      case 'detokenize':
        return { kind: 'detokenize', text: this.#text(query.tokens, query.showSpecial) };
      case 'embed':
        this.#jobs.push(this.#job(key, query));
        return undefined;
    }
  }

  cancel(key: number): void {
    const at = this.#jobs.findIndex((job) => job.key === key);
    if (at >= 0) this.#jobs.splice(at, 1);
  }

  /** Runs one pass of the oldest embedding job; yields what has been finished by it. */
  work(): readonly QueryOutcome[] {
    const job = this.#jobs[0];
    if (job === undefined) return [];
    try {
      this.#advance(job);
    } catch (error) {
      this.#jobs.shift();
      return [{ kind: 'failed', key: job.key, error }];
    }
    if (job.vectors.length < job.inputs.length) return [];
    this.#jobs.shift();
    const promptTokens = job.inputs.reduce((sum, input) => sum + input.length, 0);
    return [{ kind: 'answer', key: job.key, result: { kind: 'embed', vectors: job.vectors, promptTokens } }];
  }

  #advance(job: EmbedJob): void {
    const first = job.vectors.length;
    let end = first;
    let tokens = 0;
    do tokens += job.inputs[end++]?.length ?? 0;
    while (end < job.inputs.length && tokens + (job.inputs[end]?.length ?? 0) <= TOKENS_PER_TURN);
    const vectors = this.#parts.runner.embed(job.inputs.slice(first, end), job.pooling);
    for (const rows of vectors) {
      job.vectors.push(rows.map((row) => toBase64(job.query.normalize ? normalized(row) : row)));
    }
  }

  #job(key: number, query: EmbedQuery): EmbedJob {
    const inputs = query.inputs.map((input, index) => this.#inputTokens(input, index, query.truncate));
    // A model that declares nothing is a generator; the mean over its tokens is what serves best.
    const { declaredPooling } = this.#parts.facts;
    const pooling = query.pooling ?? declaredPooling ?? 'mean';
    if (pooling === 'rank' && declaredPooling !== 'rank') {
      throw new KoineError('unsupported', 'this model does not rank: it has no classifier', {
        field: 'pooling',
      });
    }
    return { key, query, inputs, pooling, vectors: [] };
  }

  #inputTokens(input: string | readonly number[], index: number, truncate: boolean): Int32Array {
    const { runner, maxEmbedTokens } = this.#parts;
    const tokens = typeof input === 'string' ? runner.tokenize(input, true, false) : checked(input, runner);
    if (tokens.length === 0) {
      throw new KoineError('invalid_request', `input ${index} is empty`, { field: 'input' });
    }
    if (tokens.length <= maxEmbedTokens) return tokens;
    if (truncate) return tokens.slice(0, maxEmbedTokens);
    throw new KoineError(
      'too_long',
      `input ${index} has ${tokens.length} tokens; at most ${maxEmbedTokens} fit`,
      {
        field: 'input',
        promptTokens: tokens.length,
        limitTokens: maxEmbedTokens,
      },
    );
  }

  /** Tokens with their byte ranges; what the tokenizer added (BOS, a leading space) has an empty range. */
  #spans({ text, addSpecial, parseSpecial }: Extract<Query, { kind: 'tokenize' }>): TokenSpan[] {
    const { runner, bounds } = this.#parts;
    const most = Math.max(LEAST_COUNTED, MOST_CONTEXTS * runner.info.contextPerSequence);
    const promptTokens = bounds.fewest(text, parseSpecial, { limit: most, markers: most });
    if (promptTokens !== undefined) {
      const message = `the text has ${promptTokens} tokens or more; at most ${most} are counted`;
      throw new KoineError('too_long', message, { field: 'text', promptTokens, limitTokens: most });
    }
    const bytes = Buffer.from(text, 'utf8');
    let at = 0;
    return Array.from(runner.tokenize(text, addSpecial, parseSpecial), (id): TokenSpan => {
      const special = runner.isControl(id);
      const piece = Buffer.from(runner.tokenBytes(id));
      const start = startOf(bytes, piece, at);
      if (start === undefined)
        return { id, text: special ? '' : decodeText(piece), start: 0, stop: 0, special };
      const stop = Math.min(bytes.length, start.at + start.length);
      at = stop;
      return { id, text: decodeText(bytes.subarray(start.at, stop)), start: start.at, stop, special };
    });
  }

  #text(tokens: readonly number[], showSpecial: boolean): string {
    const { runner } = this.#parts;
    checked(tokens, runner);
    const pieces = tokens
      .filter((token) => showSpecial || !runner.isControl(token))
      .map((token) => Buffer.from(runner.tokenBytes(token)));
    return decodeText(Buffer.concat(pieces));
  }
}

/** Where a piece lies at `at`; tokenizers that put a space before the text make the piece one byte longer. */
function startOf(text: Buffer, piece: Buffer, at: number): { at: number; length: number } | undefined {
  const isAt = (part: Buffer): boolean =>
    part.length > 0 && text.compare(part, 0, part.length, at, at + part.length) === 0;
  if (at + piece.length <= text.length && isAt(piece)) return { at, length: piece.length };
  const rest = piece.subarray(1);
  if (piece[0] === 0x20 && at + rest.length <= text.length && isAt(rest)) return { at, length: rest.length };
  return undefined;
}

function checked(tokens: readonly number[], { info }: ModelRunner): Int32Array {
  const bad = tokens.find((token) => !(Number.isInteger(token) && token >= 0 && token < info.vocabSize));
  if (bad === undefined) return Int32Array.from(tokens);
  throw new KoineError('invalid_request', `token ${bad} is not in the vocabulary of ${info.vocabSize}`, {
    field: 'tokens',
  });
}

function normalized(row: Float32Array): Float32Array {
  const length = Math.hypot(...row);
  return length === 0 ? row : row.map((value) => value / length);
}

function toBase64(row: Float32Array): string {
  return Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64');
}
