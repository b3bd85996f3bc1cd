// Numbers within bounds as grammar text. JSON numbers are compared digit by digit, so that a grammar can hold
// them between two decimals; exponents are left out where bounds are given.

import { anyOf, literal } from '../ebnf.js';

/** A bound of a range; numbers are what a schema can hold. */
export interface Bound {
  readonly value: number;
  readonly isExclusive: boolean;
}

/** Digits a number may have before, and after, the point: within them every value is exact and finite. */
const WHOLE_DIGITS = 15;
const FRACTION_DIGITS = 15;

/** Any integer of up to 15 digits. */
export const INTEGER = `"-"? ("0" | [1-9] [0-9]{0,${WHOLE_DIGITS - 1}})`;
/** Any number that double precision holds. */
export const NUMBER = `"-"? ("0" | [1-9] [0-9]{0,${WHOLE_DIGITS - 1}}) ("." [0-9]{1,${FRACTION_DIGITS}})? ([eE] [+-]? [0-9]{1,2})?`;

/** A non-negative decimal as digits before and behind the point. */
interface Decimal {
  readonly whole: bigint;
  readonly fraction: string;
  readonly isExclusive: boolean;
}

function decimal(value: number, isExclusive: boolean): Decimal {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const at = Math.max(point, 1);
  return { whole: BigInt(padded.slice(0, at)), fraction: padded.slice(at).replace(/0+$/, ''), isExclusive };
}

const digitRange = (from: number, to: number): string | undefined =>
  from > to ? undefined : from === to ? literal(String(from)) : `[${from}-${to}]`;

const join = (...parts: (string | undefined)[]): string | undefined =>
  parts.some((part) => part === undefined)
    ? undefined
    : parts.filter((part) => part !== '""').join(' ') || '""';

/**
 * Fraction digits are built with the fewest (`min`, 0 or 1) and the most (`left`) that may follow: a point must
 * not stand alone, digits behind the first are free to end.
 */
const anyDigits = (min: number, left: number): string | undefined =>
  left < min ? undefined : left <= 0 ? '""' : `[0-9]{${min},${left}}`;

const zeros = (min: number, left: number): string | undefined =>
  left < min ? undefined : left <= 0 ? '""' : `"0"{${min},${left}}`;

function nonZero(left: number): string | undefined {
  if (left <= 0) return undefined;
  return anyOf([join('[1-9]', anyDigits(0, left - 1)), join('"0"', nonZero(left - 1))]);
}

/** Fraction digits that make 0.x >= 0.digits, or > where exclusive. */
function fractionFrom(digits: string, isExclusive: boolean, min: number, left: number): string | undefined {
  if (digits === '') return isExclusive ? nonZero(left) : anyDigits(min, left);
  if (left === 0) return undefined;
  const first = Number(digits[0]);
  return anyOf([
    join(digitRange(first + 1, 9), anyDigits(0, left - 1)),
    join(digitRange(first, first), fractionFrom(digits.slice(1), isExclusive, 0, left - 1)),
  ]);
}

/** Fraction digits that make 0.x <= 0.digits, or < where exclusive. */
function fractionTo(digits: string, isExclusive: boolean, min: number, left: number): string | undefined {
  if (digits === '') return isExclusive ? undefined : zeros(min, left);
  if (left === 0) return min === 0 ? '""' : undefined;
  const first = Number(digits[0]);
  return anyOf([
    min === 0 ? '""' : undefined,
    join(digitRange(0, first - 1), anyDigits(0, left - 1)),
    join(digitRange(first, first), fractionTo(digits.slice(1), isExclusive, 0, left - 1)),
  ]);
}

/** Fraction digits between those of two decimals that share their whole part. */
function fractionBetween(from: Decimal, to: Decimal, min: number, left: number): string | undefined {
  const low = from.fraction;
  const high = to.fraction;
  if (low === '' && !from.isExclusive) return fractionTo(high, to.isExclusive, min, left);
  if (left === 0 || (low === '' && high === '')) return undefined;
  const a = Number(low[0] ?? 0);
  const b = Number(high[0] ?? 0);
  if (a === b) {
    const rest = fractionBetween(
      { ...from, fraction: low.slice(1) },
      { ...to, fraction: high.slice(1) },
      0,
      left - 1,
    );
    return join(digitRange(a, a), rest);
  }
  return anyOf([
    join(digitRange(a, a), fractionFrom(low.slice(1), from.isExclusive, 0, left - 1)),
    join(digitRange(a + 1, b - 1), anyDigits(0, left - 1)),
    join(digitRange(b, b), fractionTo(high.slice(1), to.isExclusive, 0, left - 1)),
  ]);
}

/** A whole number, then the point and these digits, or nothing where the whole number itself is in range. */
function withFraction(
  whole: string | undefined,
  fraction: string | undefined,
  allowsNone: boolean,
): string | undefined {
  return join(whole, anyOf([allowsNone ? '""' : undefined, fraction && `"." ${fraction}`]));
}

/** Whole numbers between two, both included, as digit patterns; `to` undefined = up to 15 digits. */
function wholeBetween(from: bigint, to: bigint | undefined): string | undefined {
  const highest = to ?? 10n ** BigInt(Math.max(WHOLE_DIGITS, from.toString().length)) - 1n;
  if (from > highest) return undefined;
  const alternatives: (string | undefined)[] = [];
  /** Lengths all of whose numbers are in range, as one pattern. */
  let full: [number, number] | undefined;
  let low = from;
  while (low <= highest) {
    const length = low.toString().length;
    const last = 10n ** BigInt(length) - 1n;
    const high = last < highest ? last : highest;
    if (low > 0n && high === last && low === 10n ** BigInt(length - 1)) full = [full?.[0] ?? length, length];
    else alternatives.push(sameLength(low.toString(), high.toString()));
    low = high + 1n;
  }
  if (full !== undefined) alternatives.push(`[1-9] [0-9]{${full[0] - 1},${full[1] - 1}}`);
  return anyOf(alternatives);
}

function sameLength(low: string, high: string): string | undefined {
  const rest = low.length - 1;
  const a = Number(low[0]);
  const b = Number(high[0]);
  if (rest === 0) return digitRange(a, b);
  if (a === b) return join(digitRange(a, a), sameLength(low.slice(1), high.slice(1)));
  const isLowest = /^0*$/.test(low.slice(1));
  const isHighest = /^9*$/.test(high.slice(1));
  const from = isLowest ? a : a + 1;
  const to = isHighest ? b : b - 1;
  return anyOf([
    isLowest ? undefined : join(digitRange(a, a), sameLength(low.slice(1), '9'.repeat(rest))),
    join(digitRange(from, to), `[0-9]{${rest}}`),
    isHighest ? undefined : join(digitRange(b, b), sameLength('0'.repeat(rest), high.slice(1))),
  ]);
}

/** Non-negative numbers between two decimals. */
function magnitude(from: Decimal, to: Decimal | undefined, isInteger: boolean): string | undefined {
  if (isInteger) {
    const low = from.fraction !== '' || from.isExclusive ? from.whole + 1n : from.whole;
    if (to === undefined) return wholeBetween(low, undefined);
    return wholeBetween(low, to.fraction === '' && to.isExclusive ? to.whole - 1n : to.whole);
  }
  const isLowWhole = from.fraction === '' && !from.isExclusive;
  const digits = fractionDigits(from, to);
  const lowest = literal(from.whole.toString());
  if (to !== undefined && to.whole === from.whole) {
    const between = fractionBetween(from, to, 1, digits);
    return withFraction(lowest, between, isLowWhole && (to.fraction !== '' || !to.isExclusive));
  }
  const middle = wholeBetween(from.whole + 1n, to === undefined ? undefined : to.whole - 1n);
  const reachesWhole = to !== undefined && (to.fraction !== '' || !to.isExclusive);
  const below = to && reachesWhole ? fractionTo(to.fraction, to.isExclusive, 1, digits) : undefined;
  return anyOf([
    withFraction(lowest, fractionFrom(from.fraction, from.isExclusive, 1, digits), isLowWhole),
    withFraction(middle, anyDigits(1, digits), true),
    to && reachesWhole ? withFraction(literal(to.whole.toString()), below, true) : undefined,
  ]);
}

/** Digits behind the point: few enough that rounding never reaches an excluded bound. */
function fractionDigits(from: Decimal, to: Decimal | undefined): number {
  const longest = [from, to].map((bound) => (bound?.isExclusive ? bound.whole.toString().length : 0));
  return Math.max(1, FRACTION_DIGITS - Math.max(...longest));
}

/**
 * Numbers (or integers) from `low` to `high`, either of which may be missing. Undefined when there is none.
 * Values of more than 15 whole digits are left out unless a bound demands them.
 */
export function numberRange(
  low: Bound | undefined,
  high: Bound | undefined,
  isInteger: boolean,
): string | undefined {
  const zero: Decimal = { whole: 0n, fraction: '', isExclusive: false };
  const aboveZero: Decimal = { ...zero, isExclusive: true };
  const isLowNegative = low === undefined || low.value < 0;
  const isHighNegative = high !== undefined && high.value < 0;
  const positive =
    isHighNegative || (high !== undefined && low !== undefined && low.value > high.value)
      ? undefined
      : magnitude(
          isLowNegative ? zero : decimal(low.value, low.isExclusive),
          high && decimal(high.value, high.isExclusive),
          isInteger,
        );
  const negative =
    !isLowNegative || (low !== undefined && high !== undefined && low.value > high.value)
      ? undefined
      : magnitude(
          isHighNegative ? decimal(high.value, high.isExclusive) : aboveZero,
          low && decimal(low.value, low.isExclusive),
          isInteger,
        );
  return anyOf([positive, join('"-"', negative)]);
}
