import { describe, expect, it } from 'vitest';
import { type MachineLoad, ThreadControl } from './thread-control.js';

/**
 * A machine with some cores and a neighbour that wants some of them. Threads wait for each other by spinning: with
 * fewer cores than threads a step takes fifty times as long, as was measured.
 */
class Machine {
  neighbour = 0;
  /** How many times longer a step takes whose threads have to share cores. */
  penalty = 50;
  nowMs = 0;
  readonly control: ThreadControl;
  #idle = 0;
  #own = 0;
  #readAtMs = 0;

  constructor(
    readonly cores: number,
    maxThreads = cores,
    readonly tellsLoad = true,
  ) {
    this.control = new ThreadControl({ maxThreads, readLoad: () => this.#load() });
  }

  /** Time of a step of a given amount of work on so many threads. */
  stepMs(work: number, threads: number): number {
    const free = this.cores - this.neighbour;
    return threads <= free ? work / threads : threads === 1 ? work * 1.9 : (work / threads) * this.penalty;
  }

  /** Runs steps for some time; returns the work done per second. */
  run(ms: number, work = 10, shape = 1): number {
    const until = this.nowMs + ms;
    const from = this.nowMs;
    let steps = 0;
    for (; this.nowMs < until; steps++) {
      const { threads } = this.control;
      const took = this.stepMs(work, threads);
      this.nowMs += took;
      const share = Math.max(Math.min(threads, this.cores - this.neighbour), 0.5 * Math.min(threads, 1));
      this.#own += took * share;
      this.#idle += took * Math.max(0, this.cores - this.neighbour - threads);
      this.control.observe({ shape, ms: took, nowMs: this.nowMs });
    }
    return (steps * work * 1000) / (this.nowMs - from);
  }

  #load(): MachineLoad | undefined {
    const ms = this.nowMs - this.#readAtMs;
    if (!this.tellsLoad || ms === 0) return undefined;
    const load = { idle: this.#idle / ms, own: this.#own / ms };
    [this.#idle, this.#own, this.#readAtMs] = [0, 0, this.nowMs];
    return load;
  }
}

describe('the number of threads', () => {
  it('is the most there may be while nobody else wants the cores', () => {
    const machine = new Machine(4);
    machine.run(20_000);
    expect(machine.control.threads).toBe(4);
  });

  it('drops at once when a step collapses, and keeps most of what one thread can do', () => {
    const machine = new Machine(2);
    machine.run(2000);
    machine.neighbour = 2;
    const begun = machine.nowMs;
    machine.run(1);
    machine.run(1);
    expect(machine.control.threads).toBe(1);
    expect(machine.nowMs - begun).toBeLessThan(1000);
    const best = 1000 / 1.9;
    expect(machine.run(30_000)).toBeGreaterThan(0.8 * best);
  });

  it('drops too when steps take only some times longer, but not after a single one', () => {
    const machine = new Machine(4);
    machine.run(2000);
    machine.neighbour = 4;
    machine.penalty = 6;
    machine.run(1);
    expect(machine.control.threads).toBe(4);
    machine.run(45);
    expect(machine.control.threads).toBeLessThan(4);
  });

  it('is not moved by a short step that something disturbed', () => {
    const machine = new Machine(2);
    for (let i = 0; i < 200; i++) {
      machine.run(2, 0.4);
      machine.neighbour = 1;
      machine.penalty = 8;
      machine.run(0.1, 0.4);
      machine.run(0.1, 0.4);
      machine.neighbour = 0;
    }
    expect(machine.control.threads).toBe(2);
  });

  it('comes back within five seconds after the neighbour has gone', () => {
    const machine = new Machine(2);
    const idle = machine.run(2000);
    machine.neighbour = 2;
    machine.run(20_000);
    expect(machine.control.threads).toBe(1);
    machine.neighbour = 0;
    machine.run(5000);
    expect(machine.control.threads).toBe(2);
    expect(machine.run(2000)).toBeGreaterThan(0.95 * idle);
  });

  it('comes back as soon when every step is of another kind than the last', () => {
    const machine = new Machine(2);
    const mixed = (ms: number): void => {
      for (const until = machine.nowMs + ms; machine.nowMs < until; ) {
        for (const [work, shape] of [
          [10, 1],
          [24, 2],
          [16, 3],
        ] as const)
          machine.run(0.1, work, shape);
      }
    };
    mixed(2000);
    machine.neighbour = 2;
    mixed(10_000);
    expect(machine.control.threads).toBe(1);
    machine.neighbour = 0;
    mixed(5000);
    expect(machine.control.threads).toBe(2);
  });

  it('does not judge a trial by its first step, which wakes threads up', () => {
    const machine = new Machine(2);
    machine.neighbour = 2;
    machine.run(5000);
    machine.neighbour = 0;
    while (machine.control.threads === 1) machine.run(1);
    machine.nowMs += 35;
    machine.control.observe({ shape: 1, ms: 35, nowMs: machine.nowMs });
    machine.run(30);
    expect(machine.control.threads).toBe(2);
  });

  it('finds its way on a machine that was busy from the start', () => {
    const machine = new Machine(2);
    machine.neighbour = 2;
    machine.run(5000);
    expect(machine.control.threads).toBe(1);
    machine.neighbour = 0;
    machine.run(5000);
    expect(machine.control.threads).toBe(2);
  });

  it('settles at what a neighbour leaves of many cores', () => {
    const machine = new Machine(8);
    machine.run(2000);
    machine.neighbour = 4;
    machine.run(20_000);
    expect(machine.control.threads).toBeLessThanOrEqual(4);
    expect(machine.control.threads).toBeGreaterThanOrEqual(3);
    machine.neighbour = 0;
    machine.run(20_000);
    expect(machine.control.threads).toBe(8);
  });

  it('is not changed by a single slow step', () => {
    const machine = new Machine(4);
    machine.run(2000);
    machine.control.observe({ shape: 1, ms: 8 * 2.5, nowMs: machine.nowMs });
    expect(machine.control.threads).toBe(4);
    machine.run(2000);
    expect(machine.control.threads).toBe(4);
  });

  it('is not changed by steps of another kind, which simply take longer', () => {
    const machine = new Machine(4);
    for (let i = 0; i < 40; i++) {
      machine.run(50, 10, 1);
      machine.run(500, 1000, 2);
    }
    expect(machine.control.threads).toBe(4);
  });

  it('still drops where the system tells no load, and then stays', () => {
    const machine = new Machine(2, 2, false);
    machine.run(2000);
    machine.neighbour = 2;
    machine.run(2000);
    expect(machine.control.threads).toBe(1);
  });

  it('is never below one nor above the most, and one is left alone', () => {
    const machine = new Machine(1);
    machine.neighbour = 1;
    machine.run(2000);
    expect(machine.control.threads).toBe(1);
    const wide = new Machine(4, 3);
    for (let i = 0; i < 100; i++) {
      wide.neighbour = (i * 7) % 5;
      wide.run(300);
      expect(wide.control.threads).toBeGreaterThanOrEqual(1);
      expect(wide.control.threads).toBeLessThanOrEqual(3);
    }
  });
});
