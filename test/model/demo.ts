// The demo model in this process, under a step loop driven by hand; and the one rule by which two greedy runs may
// differ: a near-tie that another batch shape rounds the other way, proved from the log-probabilities.

import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createLlamaRunner, type LlamaRunner, type RunnerOptions } from '../../src/native/index.js';
import type { ScoredToken, TokenInfo } from '../../src/protocol/index.js';
import type { LoopRequest, Received } from '../support/loop.js';

export const DEMO = fileURLToPath(new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url));

/**
 * How close (natural log) the two best tokens must be for their order to depend on the batch. `sameShape`: streams and
 * prompts computed in one go, which differ by nothing or by the last bits. `otherShape`: attention adds up in another
 * order, because a sequence's cells lie between those of others (one pool) or its prompt was cut elsewhere; scores then
 * move by 0.015 on average and 0.16 at most (demo model, whose activations are quantized at every layer).
 */
const LIMITS = { sameShape: 1e-2, otherShape: 0.1 } as const;
/** No comparison may show more than this on average. */
const MEAN_NOISE = 0.05;

/** What may make two runs differ. */
export type Shape = keyof typeof LIMITS;

/** The demo model, small and with one thread. */
export const DEMO_OPTIONS: RunnerOptions = {
  modelPath: DEMO,
  adapters: [],
  contextTokens: 256,
  parallel: 4,
  batchTokens: 256,
  threads: 1,
  gpuLayers: 0,
  kvType: 'f16',
  kvLayout: 'streams',
};

/** Opens the demo model, or another. The caller disposes of it. */
export function openModel(changes: Partial<RunnerOptions> = {}): LlamaRunner {
  return createLlamaRunner({ ...DEMO_OPTIONS, ...changes }, () => undefined);
}

/** Beginnings the demo model continues at length, of unlike lengths. */
export const BEGINNINGS: readonly string[] = [
  'Once upon a time there was a brave king who',
  'The little dog ran into the garden and found',
  'In the morning, when the sun came up over the hills and the birds began to sing, the old woman',
  'One day a girl named Lily',
  'The capital of the country is a city where many people',
  'She opened the box, looked inside, and',
  'There was a small house near the river. In the house lived a cat, a mouse, and a very old clock that',
  'He said',
];

/** A greedy request of so many tokens that reports the two best at each position. */
export function greedy(prompt: string, tokens: number, changes: Partial<LoopRequest> = {}): LoopRequest {
  return {
    prompt,
    stop: { maxNewTokens: tokens, ignoreEos: true },
    output: { tokens: true, logprobs: 4 },
    ...changes,
  };
}

/** The tokens a choice received. */
export function tokensOf({ events }: Received, choice = 0): readonly TokenInfo[] {
  return events.flatMap((event) =>
    event.kind === 'delta' && event.choice === choice ? [...(event.tokens ?? [])] : [],
  );
}

/**
 * Expects the same tokens; where they part, proves that each run saw the other's choice there, no further behind its
 * own than the kernels' noise (three can be as near to each other as two). What follows such a place cannot be compared. Returns how many tokens were equal.
 */
export function expectSame(
  reference: readonly TokenInfo[],
  other: readonly TokenInfo[],
  shape: Shape = 'sameShape',
): number {
  expect(other).toHaveLength(reference.length);
  const parted = reference.findIndex(({ id }, i) => id !== other[i]?.id);
  const same = parted < 0 ? reference.length : parted;
  const noise = noiseOf(reference.slice(0, same), other.slice(0, same));
  expect(noise, 'mean difference of the scores').toBeLessThan(MEAN_NOISE);
  if (parted < 0) return same;
  const [mine, theirs] = [candidatesOf(reference[parted]), candidatesOf(other[parted])];
  expect(behind(mine, theirs[0]?.id), `tokens part at ${parted}`).toBeLessThan(LIMITS[shape]);
  expect(behind(theirs, mine[0]?.id), `tokens part at ${parted}`).toBeLessThan(LIMITS[shape]);
  return same;
}

/** The best alternatives at a place that could be picked: the ends of a generation are banned in these requests. */
export function candidatesOf(token: TokenInfo | undefined): readonly ScoredToken[] {
  return (token?.top ?? []).filter(({ text }) => !['<|endoftext|>', '<|im_end|>'].includes(text));
}

// How much less likely a token was than the best of these; infinitely if it was not even among them.
function behind(candidates: readonly ScoredToken[], id: number | undefined): number {
  const found = candidates.find((candidate) => candidate.id === id);
  return (candidates[0]?.logprob ?? 0) - (found?.logprob ?? Number.NEGATIVE_INFINITY);
}

/** Mean difference of the chosen tokens' log-probabilities between two runs. */
function noiseOf(a: readonly TokenInfo[], b: readonly TokenInfo[]): number {
  const sum = a.reduce((total, { logprob }, i) => total + Math.abs((logprob ?? 0) - (b[i]?.logprob ?? 0)), 0);
  return a.length === 0 ? 0 : sum / a.length;
}
