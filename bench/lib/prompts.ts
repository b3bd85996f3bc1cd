// Request bodies for the completions endpoint both servers have, with prompts of an exact number of tokens.

/** Ids that are plain text tokens in every model the benchmarks use. */
const LOWEST_TOKEN = 33;
const HIGHEST_TOKEN = 3900;

/** Token ids drawn from a seed; different seeds share no prefix. */
export function promptTokens(count: number, seed: number): number[] {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return LOWEST_TOKEN + ((state >>> 0) % (HIGHEST_TOKEN - LOWEST_TOKEN));
  });
}

export interface CompletionOptions {
  readonly prompt: readonly number[];
  readonly newTokens: number;
  readonly seed: number;
  /** Greedy instead of usual sampling. */
  readonly greedy?: boolean;
}

/** A streamed completion that runs to exactly `newTokens`. Sampling is what clients commonly ask for. */
export function completionBody({ prompt, newTokens, seed, greedy }: CompletionOptions): string {
  return JSON.stringify({
    model: 'default',
    prompt,
    max_tokens: newTokens,
    ignore_eos: true,
    stream: true,
    stream_options: { include_usage: true },
    seed,
    ...(greedy ? { temperature: 0 } : { temperature: 0.8, top_p: 0.95, top_k: 40, min_p: 0 }),
  });
}
