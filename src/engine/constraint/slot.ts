// The shared memory through which the engine thread and a worker speak of one sequence: tokens in one direction,
// mask and state in the other. Two counters make the hand-over; whoever waits, waits on `done`.

const POSTED = 0;
const DONE = 1;
const STATE = 2;
const COUNT = 3;
const FORCED = 4;
const TOKENS = 8;
/** Most tokens of one command. */
export const MAX_TOKENS = 64;
const FORCED_AT = TOKENS + MAX_TOKENS;
const FORCED_BYTES = 256;
const MASK_AT = FORCED_AT + FORCED_BYTES / 4;

/** What a sequence's matcher has come to. */
export type MatcherState = 'running' | 'terminated' | 'rejected';
const STATES: readonly MatcherState[] = ['running', 'terminated', 'rejected'];

/** Memory for one sequence. */
export function createSlot(vocabSize: number): SharedArrayBuffer {
  return new SharedArrayBuffer((MASK_AT + Math.ceil(vocabSize / 32)) * Int32Array.BYTES_PER_ELEMENT);
}

/** Both sides' view of a slot. */
export class Slot {
  private readonly words: Int32Array;
  /** One bit per token, set = allowed, lowest bit first. */
  readonly mask: Int32Array;
  private readonly forcedBytes: Uint8Array;

  constructor(readonly memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory);
    this.mask = this.words.subarray(MASK_AT);
    this.forcedBytes = new Uint8Array(memory, FORCED_AT * 4, FORCED_BYTES);
  }

  /** Engine: whether the last command has been carried out. */
  isReady(): boolean {
    return Atomics.load(this.words, DONE) === Atomics.load(this.words, POSTED);
  }

  /** Engine: waits for the last command, at most `ms`. */
  wait(ms: number): boolean {
    const until = performance.now() + ms;
    for (;;) {
      const done = Atomics.load(this.words, DONE);
      if (done === Atomics.load(this.words, POSTED)) return true;
      const left = until - performance.now();
      if (left <= 0) return false;
      Atomics.wait(this.words, DONE, done, left);
    }
  }

  /** Engine: tokens the sequence took. None asks for the first mask. */
  post(tokens: readonly number[]): void {
    for (const [index, token] of tokens.entries()) this.words[TOKENS + index] = token;
    this.words[COUNT] = tokens.length;
    Atomics.add(this.words, POSTED, 1);
  }

  /** Engine: valid while ready. */
  get state(): MatcherState {
    return STATES[this.words[STATE] ?? 0] ?? 'rejected';
  }

  /** Engine: text that must come next, whatever is sampled; empty when there is a choice. Valid while ready. */
  get forced(): string {
    const length = this.words[FORCED] ?? 0;
    // Copied first: decoders refuse shared memory.
    return length === 0 ? '' : new TextDecoder().decode(this.forcedBytes.slice(0, length));
  }

  /** Worker: the tokens of a command that waits to be carried out; undefined when there is none. */
  pending(): readonly number[] | undefined {
    if (this.isReady()) return undefined;
    return Array.from(this.words.subarray(TOKENS, TOKENS + (this.words[COUNT] ?? 0)));
  }

  /** Worker: reports what came of the command. The mask is written before. */
  finish(state: MatcherState, forced: string): void {
    this.words[STATE] = STATES.indexOf(state);
    const { read, written } = new TextEncoder().encodeInto(forced, this.forcedBytes);
    this.words[FORCED] = read === forced.length ? written : 0;
    Atomics.add(this.words, DONE, 1);
    Atomics.notify(this.words, DONE);
  }
}
