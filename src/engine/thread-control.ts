// How many threads compute. ggml's threads spin at barriers, so a core that somebody else wants stalls every step:
// two threads on two busy cores can be fifty times slower than one. So the number is a control loop, not a constant.
// A pure state machine over step times and the machine's load; docs/decisions/0003-thread-control.md has the rule.

/** What the controller learns from. */
export interface StepSample {
  /** Kind of step: steps of one shape cost the same when nothing disturbs. */
  readonly shape: number;
  readonly ms: number;
  /** Monotonic milliseconds at the end of the step. */
  readonly nowMs: number;
}

/** Averages since the last reading, in cores. */
export interface MachineLoad {
  /** Nobody used them. */
  readonly idle: number;
  /** This process used them. */
  readonly own: number;
}

export interface ThreadControlOptions {
  readonly maxThreads: number;
  /** Reads the load since the last call; undefined where the system does not tell. */
  readonly readLoad: () => MachineLoad | undefined;
}

/** A step this many times slower than usual is a sign that a core is wanted by somebody else. */
const COLLAPSE = 3;
/** Judged over so many steps and so long at least: short steps are disturbed by anything, this server's HTTP side too. */
const SLOW_STEPS = 2;
const SLOW_MS = 40;
/** A single step that is this much slower, and that long, needs no second one: it would cost too much to wait. */
const CERTAIN_COLLAPSE = 12;
/** Share of the time before that a trial must stay below to be kept. Fewer threads must win clearly: where a neighbour
 * really wants the cores they win many times over, and anything less is this server's own other processes. */
const MORE_WORTH_IT = 1;
const FEWER_WORTH_IT = 0.7;
/** A trial lasts so many steps of known kinds and so long; when such do not come among so many, it says nothing. */
const TRIAL_STEPS = 4;
const TRIAL_MS = 10;
const LONGEST_TRIAL_STEPS = 12;
/** More threads are tried only when this much of a core lies idle for each of them. */
const IDLE_PER_THREAD = 0.5;
/** Fewer are tried when nothing is idle and our threads get less than this share of their cores. */
const CONTENDED = 0.85;
/** Time between readings of the load, and longest pause between trials. Milliseconds. */
const READ_EVERY_MS = 250;
const MAX_PAUSE_MS = 4000;
const SMOOTHING = 0.1;

interface Trial {
  /** Threads before it. */
  readonly from: number;
  /** All steps of it; the first wakes threads up and is not counted. */
  seen: number;
  /** Steps whose time at `from` is known, their time, and that time. */
  steps: number;
  ms: number;
  beforeMs: number;
}

/** Chooses the number of threads for the next step. */
export class ThreadControl {
  #threads: number;
  readonly #options: ThreadControlOptions;
  /** Usual step time by threads and shape. */
  readonly #usual: Map<number, number>[];
  /** Steps since the last judgement, their time, and the time they usually take. */
  #watched = { steps: 0, ms: 0, usualMs: 0 };
  #trial: Trial | undefined;
  #nextReadMs = 0;
  #pauseMs = READ_EVERY_MS;
  #nextTrialMs = 0;

  constructor(options: ThreadControlOptions) {
    this.#options = options;
    this.#threads = options.maxThreads;
    this.#usual = Array.from({ length: options.maxThreads + 1 }, () => new Map<number, number>());
  }

  get threads(): number {
    return this.#threads;
  }

  /**
   * Work begins after a pause: what the machine left unused meanwhile decides how many threads to begin with, so that
   * the first steps on a busy machine do not have to be slow to be noticed.
   */
  wake(nowMs: number): void {
    const load = this.#options.readLoad();
    if (load === undefined) return;
    this.#trial = undefined;
    this.#watchAnew();
    this.#threads = Math.max(1, Math.min(this.#options.maxThreads, Math.round(load.idle + load.own)));
    this.#nextReadMs = nowMs + READ_EVERY_MS;
  }

  /** Takes a finished step in; `threads` is then the number for the next one. */
  observe(sample: StepSample): number {
    if (this.#options.maxThreads === 1) return 1;
    if (this.#trial !== undefined) this.#continueTrial(this.#trial, sample);
    else if (this.#isCollapsed(sample)) this.#stepDown(sample.nowMs);
    else {
      this.#learn(sample);
      this.#considerTrial(sample);
    }
    return this.#threads;
  }

  #isCollapsed({ shape, ms }: StepSample): boolean {
    const usual = this.#usual[this.#threads]?.get(shape);
    if (this.#threads === 1 || usual === undefined) return false;
    if (ms > SLOW_MS && ms > CERTAIN_COLLAPSE * usual) return true;
    const watched = this.#watched;
    watched.steps++;
    watched.ms += ms;
    watched.usualMs += usual;
    if (watched.steps < SLOW_STEPS || watched.ms < SLOW_MS) return false;
    const isSlow = watched.ms > COLLAPSE * watched.usualMs;
    this.#watchAnew();
    return isSlow;
  }

  #watchAnew(): void {
    this.#watched = { steps: 0, ms: 0, usualMs: 0 };
  }

  #stepDown(nowMs: number): void {
    this.#threads = fewer(this.#threads);
    this.#watchAnew();
    this.#pauseMs = READ_EVERY_MS;
    this.#nextTrialMs = nowMs + this.#pauseMs;
    this.#options.readLoad();
    this.#nextReadMs = nowMs + READ_EVERY_MS;
  }

  /** Speeds up quickly, slows down slowly: slow steps are disturbed more often than fast ones are lucky. */
  #learn({ shape, ms }: StepSample): void {
    const times = this.#usual[this.#threads];
    const old = times?.get(shape) ?? ms;
    times?.set(shape, old + (ms < old ? 3 : 1) * SMOOTHING * (ms - old));
  }

  #considerTrial({ shape, nowMs }: StepSample): void {
    if (nowMs < this.#nextReadMs) return;
    this.#nextReadMs = nowMs + READ_EVERY_MS;
    const load = this.#options.readLoad();
    if (load === undefined || nowMs < this.#nextTrialMs) return;
    const next = this.#candidate(load);
    if (next === this.#threads || !this.#usual[this.#threads]?.has(shape)) return;
    this.#trial = { from: this.#threads, seen: 0, steps: 0, ms: 0, beforeMs: 0 };
    this.#threads = next;
  }

  #candidate({ idle, own }: MachineLoad): number {
    const up = Math.min(this.#options.maxThreads, this.#threads + Math.ceil(this.#threads / 3));
    if (up > this.#threads && idle >= IDLE_PER_THREAD * (up - this.#threads)) return up;
    const isContended = idle < IDLE_PER_THREAD / 2 && own < CONTENDED * this.#threads;
    return isContended ? fewer(this.#threads) : this.#threads;
  }

  #continueTrial(trial: Trial, sample: StepSample): void {
    const { shape, ms, nowMs } = sample;
    const before = this.#usual[trial.from]?.get(shape);
    if (before !== undefined && ms > SLOW_MS && ms > COLLAPSE * before) {
      this.#endTrial(trial, 'worse', nowMs);
      return;
    }
    if (trial.seen++ > 0) {
      this.#learn(sample);
      if (before !== undefined) {
        trial.steps++;
        trial.ms += ms;
        trial.beforeMs += before;
      }
    }
    if (trial.steps >= TRIAL_STEPS && trial.ms >= TRIAL_MS) {
      const share = this.#threads > trial.from ? MORE_WORTH_IT : FEWER_WORTH_IT;
      this.#endTrial(trial, trial.ms < share * trial.beforeMs ? 'better' : 'worse', nowMs);
    } else if (trial.seen > LONGEST_TRIAL_STEPS && trial.steps < TRIAL_STEPS) {
      this.#endTrial(trial, 'unclear', nowMs);
    }
  }

  #endTrial(trial: Trial, outcome: 'better' | 'worse' | 'unclear', nowMs: number): void {
    this.#trial = undefined;
    this.#watchAnew();
    if (outcome !== 'better') this.#threads = trial.from;
    if (outcome === 'better') this.#pauseMs = READ_EVERY_MS;
    if (outcome === 'worse') this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
    this.#nextTrialMs = nowMs + this.#pauseMs;
  }
}

function fewer(threads: number): number {
  return Math.max(1, Math.floor((threads * 3) / 4));
}
