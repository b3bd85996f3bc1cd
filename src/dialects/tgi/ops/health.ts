// Whether generation works: believed while it does, proved by a one-token generation when there is doubt.

import type { Exchange } from '../../../http/index.js';
import {
  type Engine,
  type EngineState,
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
} from '../../../protocol/index.js';
import { collect } from '../run/collect.js';

/** States in which a request is run; a model that is not loaded is loaded for it. */
const TAKING: ReadonlySet<EngineState> = new Set<EngineState>(['ready', 'unloaded']);

/** Tracks trust in the engine of one mounted dialect. */
export class Health {
  #isTrusted: boolean;

  /** `isUnproven`: the first probe has to generate. */
  constructor(isUnproven: boolean) {
    this.#isTrusted = !isUnproven;
  }

  /** A generation failed for a reason of the engine's. */
  doubt(): void {
    this.#isTrusted = false;
  }

  /** A generation succeeded. */
  trust(): void {
    this.#isTrusted = true;
  }

  /** True when the engine can generate now. */
  async probe(engine: Engine, { signal, log }: Pick<Exchange, 'signal' | 'log'>): Promise<boolean> {
    if (this.#isTrusted) return TAKING.has(engine.status().state);
    try {
      const { id } = await engine.describe();
      await collect(
        engine.generate(
          {
            id: 'health',
            model: id,
            input: { kind: 'text', text: 'liveness', addSpecial: true, parseSpecial: false },
            sampling: { ...NEUTRAL_SAMPLING, temperature: 0 },
            stop: { ...NEUTRAL_STOP, maxNewTokens: 1 },
            output: NEUTRAL_OUTPUT,
            n: 1,
            bestOf: 1,
            priority: 0,
            usePrefixCache: false,
          },
          signal,
        ),
      );
      this.trust();
    } catch (error) {
      // The answer is no more than a status.
      log.warn({ err: error }, 'the model could not generate a token');
      return false;
    }
    return true;
  }
}
