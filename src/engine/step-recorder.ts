// Counts steps and their times for whoever reads the engine's figures. Nothing is allocated per step. Engine process.

import { STEP_TIME_BOUNDS_MS, type StepFigures, type StepTimes, type TimeCounts } from '../protocol/index.js';

/** Figures since the process started. Per turn of the loop: `forward` if a pass was computed, then `end`. */
export class StepRecorder {
  readonly #prefill = new Times();
  readonly #decode = new Times();
  readonly #seated: number[] = [];
  #joins = 0;
  #forwardMs = -1;
  #hasPrefill = false;

  /** The model's pass over the step's tokens took so long. */
  forward(ms: number, hasPrefill: boolean): void {
    this.#forwardMs = ms;
    this.#hasPrefill = hasPrefill;
  }

  /** The turn is over: its time, the new sequences it seated, and whether others ran before it. */
  end(wholeMs: number, seated: number, hadRunning: boolean): void {
    if (seated > 0) {
      while (this.#seated.length < seated) this.#seated.push(0);
      this.#seated[seated - 1] = (this.#seated[seated - 1] ?? 0) + 1;
      if (hadRunning) this.#joins++;
    }
    if (this.#forwardMs < 0) return;
    (this.#hasPrefill ? this.#prefill : this.#decode).add(wholeMs, this.#forwardMs);
    this.#forwardMs = -1;
  }

  /** A copy that may be sent. */
  figures(): StepFigures {
    return {
      prefill: this.#prefill.read(),
      decode: this.#decode.read(),
      seated: [...this.#seated],
      joins: this.#joins,
    };
  }
}

class Times {
  readonly #whole = new Histogram();
  readonly #forward = new Histogram();
  readonly #rest = new Histogram();

  add(wholeMs: number, forwardMs: number): void {
    this.#whole.add(wholeMs);
    this.#forward.add(forwardMs);
    this.#rest.add(Math.max(0, wholeMs - forwardMs));
  }

  read(): StepTimes {
    return { whole: this.#whole.read(), forward: this.#forward.read(), rest: this.#rest.read() };
  }
}

class Histogram {
  readonly #counts = new Float64Array(STEP_TIME_BOUNDS_MS.length + 1);
  #sumMs = 0;

  add(ms: number): void {
    let low = 0;
    let high = STEP_TIME_BOUNDS_MS.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ms <= (STEP_TIME_BOUNDS_MS[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.#sumMs += ms;
  }

  read(): TimeCounts {
    return { counts: [...this.#counts], sumMs: this.#sumMs };
  }
}
