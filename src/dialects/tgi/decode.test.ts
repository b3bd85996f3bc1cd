import { describe, expect, it } from 'vitest';
import { type DecodeContext, decode, TEXT_ONLY } from './decode.js';
import { NO_PARAMETERS } from './schema.js';

const context: DecodeContext = {
  id: 'r1',
  model: 'm',
  input: { kind: 'text', text: 'a', addSpecial: true, parseSpecial: true },
  constraint: null,
  adapters: ['french'],
  maxNewTokens: 5,
  watermark: { gamma: 0.5, delta: 2 },
  reply: TEXT_ONLY,
};

describe('decode', () => {
  it('is greedy and silent by default', () => {
    const request = decode(NO_PARAMETERS, context);
    expect(request.sampling).toMatchObject({
      temperature: 0,
      frequencyMode: 'relative',
      penaltyScope: 'all',
    });
    expect(request.sampling).not.toHaveProperty('seed');
    expect(request.stop).toMatchObject({ maxNewTokens: 5, keepStopText: true });
    expect(request.output).toMatchObject({ stream: false, tokens: false });
    expect(request.output).not.toHaveProperty('logprobs');
    expect([request.n, request.bestOf, request.usePrefixCache]).toEqual([1, 1, true]);
  });

  it('carries every parameter', () => {
    const request = decode(
      {
        bestOf: 2,
        temperature: 0.5,
        repetitionPenalty: 1.2,
        frequencyPenalty: 0.1,
        topK: 10,
        topP: 0.9,
        typicalP: 0.8,
        doSample: true,
        maxNewTokens: 5,
        returnFullText: true,
        stop: ['test', ''],
        truncate: 5,
        watermark: true,
        details: true,
        decoderInputDetails: true,
        seed: 0n,
        topNTokens: 3,
        grammar: null,
        adapterId: 'french',
      },
      {
        ...context,
        reply: { stream: false, tokens: true, logprobs: true },
        constraint: { kind: 'regex', pattern: 'a' },
      },
    );
    expect(request).toMatchObject({
      sampling: {
        temperature: 0.5,
        repetitionPenalty: 1.2,
        frequencyPenalty: 0.1,
        topK: 10,
        topP: 0.9,
        typicalP: 0.8,
        seed: 0n,
        watermark: { gamma: 0.5, delta: 2 },
      },
      stop: { stopStrings: ['test'] },
      constraint: { kind: 'regex', pattern: 'a' },
      output: { tokens: true, logprobs: 3, logprobsOf: 'processed', prompt: true, promptLogprobs: 0 },
      adapter: 'french',
      n: 2,
      bestOf: 2,
      truncateTo: 5,
      usePrefixCache: false,
    });
  });

  it('asks for scores only where they are shown, or decide', () => {
    const streamed = decode(NO_PARAMETERS, {
      ...context,
      reply: { stream: true, tokens: true, logprobs: false },
    });
    expect(streamed.output).toMatchObject({ stream: true, tokens: true });
    expect(streamed.output).not.toHaveProperty('logprobs');
    const contest = decode({ ...NO_PARAMETERS, bestOf: 2, doSample: true }, context);
    expect(contest.output).toMatchObject({ tokens: true, logprobs: 0 });
    const ruled = decode(NO_PARAMETERS, { ...context, constraint: { kind: 'regex', pattern: 'a' } });
    expect(ruled.output).not.toHaveProperty('logprobs');
  });

  it('samples at temperature 1 when a filter alone is set', () => {
    expect(decode({ ...NO_PARAMETERS, topK: 5 }, context).sampling.temperature).toBe(1);
  });

  it('uses the base model for an adapter it does not know', () => {
    expect(decode({ ...NO_PARAMETERS, adapterId: 'dummy' }, context)).not.toHaveProperty('adapter');
  });
});
