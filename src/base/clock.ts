// Time as a parameter, so that tests own it.

/** Monotonic milliseconds with a fraction, and seconds since the epoch. */
export interface Clock {
  now(): number;
  epochSeconds(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  epochSeconds: () => Math.floor(Date.now() / 1000),
};
