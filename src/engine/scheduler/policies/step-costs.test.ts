import { describe, expect, it } from 'vitest';
import { StepCosts } from './step-costs.js';

/** Costs of a machine whose weights have been read once. */
function warm(maxSequences = 8): StepCosts {
  const costs = new StepCosts(maxSequences);
  costs.observePrefill(128, 10_000);
  return costs;
}

/** Costs after many steps of a machine with a fixed cost per decode step and per prefill token. */
function learned(decodeMs: number, wideMsPerToken: number, narrowMsPerToken = wideMsPerToken): StepCosts {
  const costs = warm();
  for (let i = 0; i < 50; i++) {
    costs.observeDecode(8, decodeMs);
    costs.observePrefill(128, 128 * wideMsPerToken);
    costs.observePrefill(16, 16 * narrowMsPerToken);
  }
  return costs;
}

describe('what steps cost', () => {
  it('starts with a careful chunk', () => {
    expect(new StepCosts(8).prefillBudget(4, 1, 512)).toBe(256);
    expect(new StepCosts(8).prefillBudget(0, 1, 100)).toBe(100);
  });

  it('keeps the gap of running streams within two and a half times the usual', () => {
    const tokens = learned(100, 1).prefillBudget(8, 1, 4096);
    expect(100 + tokens).toBeLessThanOrEqual(251);
    expect(100 + tokens).toBeGreaterThan(200);
  });

  it('takes whole tiles where they fit, because narrower chunks cost more a token', () => {
    expect(learned(100, 1, 2).prefillBudget(8, 1, 4096)).toBe(128);
    expect(learned(100, 2, 4).prefillBudget(8, 1, 4096)).toBe(64);
    expect(learned(100, 3, 6).prefillBudget(8, 1, 4096)).toBe(24);
  });

  it('does not count the first pass, which reads the weights from the disk', () => {
    expect(warm().prefillBudget(0, 1, 4096)).toBe(256);
    expect(warm().isShort(256)).toBe(true);
  });

  it('takes a wide chunk to cost no more than a narrow one, lest it never try one again', () => {
    const costs = warm();
    costs.observeDecode(8, 100);
    costs.observePrefill(128, 128 * 10);
    expect(costs.isShort(200)).toBe(false);
    for (let i = 0; i < 5; i++) costs.observePrefill(16, 16 * 2);
    expect(costs.prefillBudget(8, 1, 4096)).toBe(64);
    expect(costs.isShort(200)).toBe(true);
  });

  it('takes narrow chunks for twice as dear until it has seen one', () => {
    const costs = warm();
    costs.observeDecode(8, 100);
    costs.observePrefill(64, 320);
    expect(costs.prefillBudget(8, 1, 4096)).toBe(12);
  });

  it('is judged by the gap everybody will have once the waiting prompts are done', () => {
    const costs = warm();
    costs.observeDecode(1, 8);
    costs.observeDecode(8, 25);
    costs.observePrefill(32, 32);
    expect(costs.prefillBudget(1, 7, 4096)).toBe(52);
    expect(costs.prefillBudget(1, 0, 4096)).toBe(12);
  });

  it('limits a step without streams too, so that arrivals are seen', () => {
    expect(learned(100, 1).prefillBudget(0, 1, 4096)).toBe(384);
  });

  it('never goes below a chunk worth a pass, nor above what it is allowed', () => {
    const slow = learned(1000, 1000);
    expect(slow.prefillBudget(8, 1, 4096)).toBe(4);
    expect(slow.prefillBudget(8, 1, 3)).toBe(3);
    expect(learned(100, 0.001).prefillBudget(8, 1, 500)).toBe(500);
  });

  it('takes the nearest number of sequences it knows', () => {
    const costs = warm();
    costs.observeDecode(2, 10);
    costs.observeDecode(8, 40);
    expect(costs.decodeMs(0)).toBe(0);
    expect(costs.decodeMs(2)).toBe(10);
    expect(costs.decodeMs(3)).toBe(10);
    expect(costs.decodeMs(7)).toBe(40);
  });

  it('ignores chunks too small to tell', () => {
    const costs = warm();
    costs.observeDecode(4, 20);
    costs.observePrefill(3, 500);
    expect(costs.prefillBudget(4, 1, 512)).toBe(256);
    costs.observePrefill(10, 10);
    // 1 ms per token and 20 ms per decode: a gap of 50 ms holds 30 tokens.
    expect(costs.prefillBudget(4, 1, 512)).toBe(28);
  });

  it('follows a machine that becomes slower', () => {
    const costs = learned(10, 0.1);
    for (let i = 0; i < 50; i++) costs.observePrefill(128, 1280);
    expect(costs.prefillBudget(0, 1, 4096)).toBe(60);
    expect(costs.isShort(61)).toBe(false);
    expect(costs.isShort(59)).toBe(true);
  });
});
