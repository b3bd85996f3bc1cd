// Generated text to the wire, for the parts both versions share; encode-v1.ts and encode-v3.ts say how they differ.

import { assertNever } from '../../base/index.js';
import type { FinishReason } from '../../protocol/index.js';
import { errorBody, type TgiError } from './errors.js';
import type { Generation, Sequence } from './run/collect.js';
import type { WriteToken } from './run/token-feed.js';
import { fedTokenJson, prefillJson, seedJson, tokenJson, topTokensJson } from './wire/json-out.js';
import { TokenText } from './wire/token-text.js';

/** What the client asked to see. */
export interface ReplyShape {
  readonly details: boolean;
  readonly topTokens: boolean;
  /** Put in front of every text: the prompt, or nothing. */
  readonly before: string;
  /** Ids that are special among alternatives. */
  readonly eog: ReadonlySet<number>;
}

/** How a version writes what both have. */
export interface Encoding {
  /** What stands before the JSON of an event. */
  readonly data: string;
  readonly computeTime: (ms: number) => string;
  /** What the last event's details carry beside reason, count and seed. */
  readonly streamDetails: (promptTokens: number) => string;
  /** A failure as it is shown inside a stream. */
  readonly streamError: (error: TgiError) => TgiError;
}

/** The wire's name of a finish reason. */
export function finishReason(reason: FinishReason): 'length' | 'eos_token' | 'stop_sequence' {
  switch (reason) {
    case 'length':
    case 'cancelled':
      return 'length';
    case 'eos':
    case 'tool_calls':
      return 'eos_token';
    case 'stop_sequence':
      return 'stop_sequence';
    default:
      return assertNever(reason);
  }
}

/** Body of `/generate`. */
export function generateJson(generation: Generation, shape: ReplyShape): string {
  const [best] = generation.sequences;
  const text = JSON.stringify(shape.before + best.text);
  if (!shape.details) return `{"generated_text":${text}}`;
  return `{"generated_text":${text},"details":${detailsJson(generation, shape)}}`;
}

function detailsJson(generation: Generation, shape: ReplyShape): string {
  const [best, ...others] = generation.sequences;
  const prefill = `[${generation.prompt.map(prefillJson).join(',')}]`;
  const bestOf =
    others.length === 0
      ? ''
      : `,"best_of_sequences":[${others.map((each) => bestOfJson(each, prefill, shape)).join(',')}]`;
  return `{${sequenceJson(best, prefill)}${bestOf}${topJson(best, shape)}}`;
}

function bestOfJson(sequence: Sequence, prefill: string, shape: ReplyShape): string {
  const text = JSON.stringify(shape.before + sequence.text);
  return `{"generated_text":${text},${sequenceJson(sequence, prefill)}${topJson(sequence, shape)}}`;
}

function sequenceJson({ tokens, result }: Sequence, prefill: string): string {
  const texts = new TokenText();
  const shown = tokens.map((each) => tokenJson(each.id, texts.next(each), each.logprob, each.special));
  const seed = seedJson(result.seed);
  return `"finish_reason":"${finishReason(result.reason)}","generated_tokens":${generatedTokens({ tokens, result })},"seed":${seed},"prefill":${prefill},"tokens":[${shown.join(',')}]`;
}

function topJson({ tokens }: Sequence, shape: ReplyShape): string {
  if (!shape.topTokens) return '';
  return `,"top_tokens":[${tokens.map((each) => topTokensJson(each.top ?? [], shape.eog)).join(',')}]`;
}

/** Tokens of a sequence as counted on the wire: all that were sampled, EOS included. */
export function generatedTokens({ tokens, result }: Pick<Sequence, 'tokens' | 'result'>): number {
  return tokens.length > 0 ? tokens.length : result.completionTokens;
}

/** Writes the events of `/generate_stream`. `promptTokens` is asked for at the last event. */
export function streamWriter(encoding: Encoding, shape: ReplyShape, promptTokens: () => number): WriteToken {
  const open = `${encoding.data}{"index":`;
  return (token, index, ending) => {
    const top = shape.topTokens && token.top.length > 0;
    const topPart = top ? `,"top_tokens":${topTokensJson(token.top, shape.eog)}` : '';
    const head = `${open}${index},"token":${fedTokenJson(token)}${topPart},"generated_text":`;
    if (ending === null) return `${head}null,"details":null}\n\n`;
    const text = JSON.stringify(shape.before + ending.text);
    if (!shape.details) return `${head}${text},"details":null}\n\n`;
    const { result, generatedTokens: count } = ending;
    const extra = encoding.streamDetails(promptTokens());
    return `${head}${text},"details":{"finish_reason":"${finishReason(result.reason)}","generated_tokens":${count},"seed":${seedJson(result.seed)}${extra}}}\n\n`;
  };
}

/** The error event of the generate routes. */
export function streamErrorFrame(encoding: Encoding, error: TgiError): string {
  return `${encoding.data}${errorBody(encoding.streamError(error))}\n\n`;
}
