import { describe, expect, it } from 'vitest';
import type { GenerateEvent } from '../../../protocol/index.js';
import { collect } from './collect.js';

async function* stream(events: readonly GenerateEvent[]): AsyncGenerator<GenerateEvent> {
  yield* events;
}
const started: GenerateEvent = { kind: 'started', promptTokens: 3, cachedTokens: 0 };
const finished: GenerateEvent = {
  kind: 'finished',
  usage: { promptTokens: 3, cachedTokens: 0, completionTokens: 2 },
  timings: { queueMs: 1, prefillMs: 2, decodeMs: 3 },
};
const choice = (index: number, logprob: number): readonly GenerateEvent[] => [
  {
    kind: 'delta',
    choice: index,
    text: `text ${index}`,
    tokens: [{ id: 1, text: 'x', logprob, special: false }],
  },
  { kind: 'choice', choice: index, reason: 'eos', completionTokens: 1, seed: BigInt(index) },
];

describe('collect', () => {
  it('puts the sequence with the highest mean log-probability first', async () => {
    const generation = await collect(stream([started, ...choice(0, -3), ...choice(1, -1), finished]));
    expect(generation.sequences.map(({ text, result }) => [text, result.seed])).toEqual([
      ['text 1', 1n],
      ['text 0', 0n],
    ]);
    expect([generation.promptTokens, generation.timings.decodeMs]).toEqual([3, 3]);
  });

  it('throws what failed', async () => {
    const failed: GenerateEvent = { kind: 'failed', failure: { code: 'too_long', message: 'no' } };
    await expect(collect(stream([started, failed]))).rejects.toMatchObject({ code: 'too_long' });
  });

  it.each([
    ['no end', [started, ...choice(0, -1)]],
    ['no choice', [started, finished]],
    [
      'a cancelled choice',
      [started, { kind: 'choice', choice: 0, reason: 'cancelled', completionTokens: 0 }, finished],
    ],
  ] as readonly (readonly [string, readonly GenerateEvent[]])[])(
    'calls %s incomplete',
    async (_name, events) => {
      await expect(collect(stream(events))).rejects.toMatchObject({ code: 'engine_lost' });
    },
  );
});
