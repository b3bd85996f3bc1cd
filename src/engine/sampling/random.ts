// Random numbers of one sequence: xoshiro128** (Blackman and Vigna, 2018) seeded through splitmix64, so that equal
// seeds give equal draws on every machine and no other sequence can disturb them.

const MASK_64 = 0xffff_ffff_ffff_ffffn;

function splitmix64(state: bigint): bigint {
  let z = state & MASK_64;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK_64;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK_64;
  return z ^ (z >> 31n);
}

const GOLDEN = 0x9e37_79b9_7f4a_7c15n;

/** Seed of one choice of a request: the request's own for choice 0, far apart ones for the others. 0 .. 2^64-1. */
export function choiceSeed(seed: bigint, choice: number): bigint {
  return choice === 0 ? seed & MASK_64 : splitmix64(seed + GOLDEN * BigInt(choice));
}

/** A stream of uniform numbers in [0, 1), fully determined by its seed. */
export class Random {
  readonly #state = new Int32Array(4);

  constructor(seed: bigint) {
    const first = splitmix64(seed + GOLDEN);
    const second = splitmix64(seed + 2n * GOLDEN);
    this.#state[0] = Number(first & 0xffff_ffffn) | 0;
    this.#state[1] = Number(first >> 32n) | 0;
    this.#state[2] = Number(second & 0xffff_ffffn) | 0;
    // The all-zero state is the one the generator cannot leave.
    this.#state[3] = Number(second >> 32n) | (first === 0n && second === 0n ? 1 : 0);
  }

  /** Next number in [0, 1), with 53 random bits. */
  next(): number {
    const high = this.#next32() >>> 5;
    const low = this.#next32() >>> 6;
    return (high * 0x400_0000 + low) / 0x20_0000_0000_0000;
  }

  #next32(): number {
    const s = this.#state;
    const s1 = s[1]!;
    const product = Math.imul(s1, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    s[2] = s[2]! ^ s[0]!;
    s[3] = s[3]! ^ s1;
    s[1] = s1 ^ s[2]!;
    s[0] = s[0]! ^ s[3]!;
    s[2] = s[2]! ^ (s1 << 9);
    const s3 = s[3]!;
    s[3] = (s3 << 11) | (s3 >>> 21);
    return result;
  }
}
