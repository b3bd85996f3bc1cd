// What engines say, on its way to the log. While a model is being loaded it is held back: if that fails, the one line
// that says so is enough, unless somebody asked for all of them.

import type { EngineLogLine } from '../engine/index.js';
import type { Logger } from '../telemetry/index.js';

/** Holds the lines of one engine until it is known what becomes of it. */
export class EngineLog {
  readonly #model: string;
  #held: EngineLogLine[] | undefined = [];
  #log: Logger | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  readonly write = (line: EngineLogLine): void => {
    if (this.#held !== undefined) this.#held.push(line);
    else this.#log?.[line.level]({ model: this.#model }, line.text);
  };

  /** The model is ready, or everything is wanted: lines held so far and later ones go to the log. */
  release(log: Logger): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#log = log;
    for (const line of held) this.write(line);
  }
}
