import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { FakeEngine } from '../../../../test/support/fake-engine.js';
import type { EngineState, EngineStatus } from '../../../protocol/index.js';
import { Health } from './health.js';

const exchange = { signal: new AbortController().signal, log: pino({ level: 'silent' }) };

describe('the health of a trusted engine', () => {
  it.each([
    ['ready', true],
    // It is loaded for whoever asks.
    ['unloaded', true],
    ['starting', false],
    ['restarting', false],
    ['draining', false],
    ['stopped', false],
  ] as const)('that is %s is %s', async (state, isHealthy) => {
    expect(await new Health(false).probe(new EngineIn(state), exchange)).toBe(isHealthy);
  });
});

class EngineIn extends FakeEngine {
  readonly #state: EngineState;

  constructor(state: EngineState) {
    super();
    this.#state = state;
  }

  override status(): EngineStatus {
    return { ...super.status(), state: this.#state };
  }
}
