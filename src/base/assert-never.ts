// Closes a switch over a union: a new case fails to compile where it is not handled.

/** Throws; only reachable when a value lies outside its declared type. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${String(value)}`);
}
