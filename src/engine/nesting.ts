// How deeply a constraint is nested, found without recursion: what is nested too deeply cannot even be written as JSON,
// which is how it would travel to the engine process. Server process.

import { type Constraint, KoineError } from '../protocol/index.js';

/** Levels of JSON; a schema has two or three per level of its own, and is refused by its own limit long before. */
const MAX_LEVELS = 1000;

/** Throws `constraint` for one that is nested too deeply to be handed on. */
export function requireShallow(constraint: Constraint): void {
  if (isShallow(constraint)) return;
  throw new KoineError('constraint', `${constraint.kind}: it is nested more than ${MAX_LEVELS} levels deep`, {
    field: 'constraint',
  });
}

/** Whether a constraint can be handed on. */
export function isShallow(constraint: Constraint): boolean {
  let level: readonly unknown[] = [constraint];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) return false;
    level = level.flatMap((value): readonly unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}
