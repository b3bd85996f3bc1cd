// Prints 32-bit floats the way the original server does: the fewest digits that read back to the same float.

const EXPONENT_FROM = 1e13;

/** JSON text of a value as a 32-bit float, `-2.5839844`; `null` when it is null or not finite. */
export function float32(value: number | null): string {
  if (value === null) return 'null';
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return 'null';
  if (single === 0) return Object.is(single, -0) ? '-0.0' : '0.0';
  const shown = shortest(single);
  if (Math.abs(shown) >= EXPONENT_FROM) return shown.toExponential().replace('+', '');
  return Number.isInteger(shown) ? `${shown}.0` : String(shown);
}

/** The double with the fewest decimal digits that rounds to this float. */
function shortest(single: number): number {
  // Nearly every float needs 8 digits; 9 always suffice.
  const eight = Number(single.toPrecision(8));
  if (Math.fround(eight) !== single) return Number(single.toPrecision(9));
  let best = eight;
  for (let digits = 7; digits > 0; digits--) {
    const fewer = Number(single.toPrecision(digits));
    if (Math.fround(fewer) !== single) return best;
    best = fewer;
  }
  return best;
}
