import { describe, expect, it } from 'vitest';
import { StepCosts } from './step-costs.js';

/** Costs after many steps of a machine with a fixed cost per decode step and per prefill token. */
function learned(decodeMs: number, prefillMsPerToken: number): StepCosts {
  const costs = new StepCosts(8);
  for (let i = 0; i < 50; i++) {
    costs.observe(8, 0, decodeMs);
    costs.observe(0, 100, 100 * prefillMsPerToken);
  }
  return costs;
}

describe('what steps cost', () => {
  it('starts with a careful chunk', () => {
    expect(new StepCosts(8).prefillBudget(4, 1, 512)).toBe(256);
    expect(new StepCosts(8).prefillBudget(0, 1, 100)).toBe(100);
  });

  it('keeps the gap of running streams within two and a half times the usual', () => {
    const costs = learned(100, 1);
    const tokens = costs.prefillBudget(8, 1, 4096);
    expect(100 + tokens).toBeLessThanOrEqual(251);
    expect(100 + tokens).toBeGreaterThan(200);
  });

  it('is judged by the gap everybody will have once the waiting prompts are done', () => {
    const costs = new StepCosts(8);
    costs.observe(1, 0, 8);
    costs.observe(8, 0, 25);
    costs.observe(0, 100, 100);
    expect(costs.prefillBudget(1, 7, 4096)).toBe(54);
    expect(costs.prefillBudget(1, 0, 4096)).toBe(16);
  });

  it('limits a step without streams too, so that arrivals are seen', () => {
    expect(learned(100, 1).prefillBudget(0, 1, 4096)).toBe(400);
  });

  it('never goes below a chunk worth a pass, nor above what it is allowed', () => {
    const slow = learned(1000, 1000);
    expect(slow.prefillBudget(8, 1, 4096)).toBe(16);
    expect(slow.prefillBudget(8, 1, 5)).toBe(5);
    expect(learned(100, 0.001).prefillBudget(8, 1, 512)).toBe(512);
  });

  it('takes the nearest number of sequences it knows', () => {
    const costs = new StepCosts(8);
    costs.observe(2, 0, 10);
    costs.observe(8, 0, 40);
    expect(costs.decodeMs(0)).toBe(0);
    expect(costs.decodeMs(2)).toBe(10);
    expect(costs.decodeMs(3)).toBe(10);
    expect(costs.decodeMs(7)).toBe(40);
  });

  it('subtracts the streams beside a chunk, and ignores chunks too small to tell', () => {
    const costs = new StepCosts(8);
    costs.observe(4, 0, 20);
    costs.observe(4, 8, 500);
    expect(costs.prefillBudget(4, 1, 512)).toBe(256);
    costs.observe(4, 100, 120);
    // 1 ms per token and 20 ms per decode: 50 ms hold 30 tokens.
    expect(costs.prefillBudget(4, 1, 512)).toBe(30);
  });

  it('follows a machine that becomes slower', () => {
    const costs = learned(10, 0.1);
    for (let i = 0; i < 50; i++) costs.observe(0, 100, 1000);
    expect(costs.prefillBudget(0, 1, 4096)).toBeLessThan(45);
  });
});
