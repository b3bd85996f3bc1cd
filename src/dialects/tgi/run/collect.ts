// Gathers the events of one request into a whole answer, for replies that do not stream.

import {
  type ChoiceResult,
  type GenerateEvent,
  KoineError,
  type Timings,
  type TokenInfo,
} from '../../../protocol/index.js';

/** One finished sequence. */
export interface Sequence {
  readonly text: string;
  readonly tokens: readonly TokenInfo[];
  readonly result: ChoiceResult;
}

/** A whole answer. */
export interface Generation {
  readonly promptTokens: number;
  readonly prompt: readonly TokenInfo[];
  /** Best first: by mean log-probability where there are several. */
  readonly sequences: readonly [Sequence, ...Sequence[]];
  readonly timings: Timings;
}

interface Open {
  text: string;
  readonly tokens: TokenInfo[];
  result: ChoiceResult | undefined;
}

/** Runs events to their end. Throws `KoineError` when the request failed or was cut off. */
export async function collect(events: AsyncIterable<GenerateEvent>): Promise<Generation> {
  const open = new Map<number, Open>();
  const at = (choice: number): Open => {
    const known = open.get(choice) ?? { text: '', tokens: [], result: undefined };
    open.set(choice, known);
    return known;
  };
  let promptTokens = 0;
  let prompt: readonly TokenInfo[] = [];
  let timings: Timings | undefined;
  for await (const event of events) {
    switch (event.kind) {
      case 'started':
        promptTokens = event.promptTokens;
        prompt = event.prompt ?? [];
        break;
      case 'delta': {
        const sequence = at(event.choice);
        sequence.text += event.text;
        if (event.tokens !== undefined) sequence.tokens.push(...event.tokens);
        break;
      }
      case 'choice':
        at(event.choice).result = event;
        break;
      case 'finished':
        timings = event.timings;
        break;
      case 'failed':
        throw new KoineError(event.failure.code, event.failure.message, event.failure.details);
    }
  }
  const sequences = [...open.values()].flatMap(({ text, tokens, result }) =>
    result === undefined || result.reason === 'cancelled' ? [] : [{ text, tokens, result }],
  );
  const [best, ...rest] = sequences.sort((a, b) => meanLogprob(b) - meanLogprob(a));
  if (best === undefined || timings === undefined) throw new KoineError('engine_lost');
  return { promptTokens, prompt, sequences: [best, ...rest], timings };
}

function meanLogprob({ tokens, result }: Sequence): number {
  if (result.meanLogprob !== undefined) return result.meanLogprob;
  const total = tokens.reduce((sum, token) => sum + (token.logprob ?? 0), 0);
  return tokens.length === 0 ? 0 : total / tokens.length;
}
