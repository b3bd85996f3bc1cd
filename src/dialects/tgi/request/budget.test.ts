import { describe, expect, it } from 'vitest';
import { FakeEngine } from '../../../../test/support/fake-engine.js';
import { DEFAULT_TGI_OPTIONS } from '../options.js';
import { type BudgetRequest, checkBudget, LEG_TOKENS } from './budget.js';
import { type Limits, limitsV1, limitsV3 } from './limits.js';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
const ask = (request: Partial<BudgetRequest>): BudgetRequest => ({
  inputs: 'a',
  addSpecial: false,
  truncate: null,
  maxNewTokens: null,
  checkedNewTokens: LEG_TOKENS,
  ...request,
});
const limits = (input: number, total: number): Limits =>
  limitsV3({ ...DEFAULT_TGI_OPTIONS, maxInputTokens: input, maxTotalTokens: total }, 2048);
const check = (request: Partial<BudgetRequest>, given: Limits): Promise<number | undefined> =>
  checkBudget(ask(request), given, new FakeEngine());

describe('checkBudget', () => {
  it('refuses prompt plus new tokens beyond the total', async () => {
    await expect(check({ maxNewTokens: 10 }, limits(5, 6))).rejects.toThrow(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 6. Given: 1 `inputs` tokens and 10 `max_new_tokens`',
    );
  });

  it('refuses a prompt beyond the input limit, after the total', async () => {
    await expect(check({ inputs: words(1100), maxNewTokens: 1 }, limits(1024, 2048))).rejects.toThrow(
      '`inputs` must have less than 1024 tokens. Given: 1100',
    );
    await expect(check({ inputs: words(2100) }, limits(1024, 2048))).rejects.toThrow(
      'must be <= 2048. Given: 2100 `inputs` tokens and 0 `max_new_tokens`',
    );
    expect(await check({ inputs: words(1024), maxNewTokens: 1 }, limits(1024, 2048))).toBe(1);
  });

  it('counts what truncation leaves', async () => {
    expect(await check({ inputs: words(5000), truncate: 10, maxNewTokens: 5 }, limits(1024, 2048))).toBe(5);
  });

  it('counts at most 1024 new tokens in 3.3.6 and keeps the rest within the context', async () => {
    expect(await check({ maxNewTokens: 100_000 }, limits(1024, 2048))).toBe(2047);
    const hard = { maxNewTokens: 100_000, checkedNewTokens: Number.POSITIVE_INFINITY };
    await expect(check(hard, limits(1024, 2048))).rejects.toThrow('and 100000 `max_new_tokens`');
  });

  it('leaves an open end open where the model is the only limit', async () => {
    expect(await check({}, limits(1024, 2048))).toBeUndefined();
    expect(await check({}, limits(1024, 100))).toBe(99);
  });

  it('asks the tokenizer only in doubt', async () => {
    const engine = new FakeEngine();
    let asked = 0;
    engine.tokenize = (request) => {
      asked++;
      return Promise.resolve(engine.tokenizer.encode(request.text, request.addSpecial));
    };
    await checkBudget(ask({ inputs: words(10), maxNewTokens: 100 }), limits(1024, 2048), engine);
    expect(asked).toBe(0);
    await checkBudget(ask({ inputs: words(300), maxNewTokens: 1000 }), limits(1024, 2048), engine);
    expect(asked).toBe(1);
  });
});

describe('limits', () => {
  it('follow the model in 3.3.6 and are 1024 and 2048 in 1.4.2', () => {
    const v3 = limitsV3(DEFAULT_TGI_OPTIONS, 4096);
    expect([v3.maxInputTokens, v3.maxTotalTokens]).toEqual([4095, 4096]);
    const v1 = limitsV1(DEFAULT_TGI_OPTIONS, 4096);
    expect([v1.maxInputTokens, v1.maxTotalTokens]).toEqual([1024, 2048]);
    const small = limitsV1(DEFAULT_TGI_OPTIONS, 512);
    expect([small.maxInputTokens, small.maxTotalTokens]).toEqual([511, 512]);
  });
});
