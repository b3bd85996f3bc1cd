import { describe, expect, it } from 'vitest';
import type { Constraint, JsonSchema } from '../protocol/index.js';
import { KoineError } from '../protocol/index.js';
import { requireShallow } from './nesting.js';

function nested(levels: number): Constraint {
  let schema: JsonSchema = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { items: schema };
  return { kind: 'json-schema', schema, strict: true, whitespace: 'none' };
}

describe('a constraint that is nested', () => {
  it('is refused when it is so too deeply to be handed on', () => {
    expect(() => requireShallow(nested(500))).not.toThrow();
    expect(() => requireShallow(nested(100_000))).toThrow(KoineError);
    expect(() => requireShallow(nested(100_000))).toThrow(
      /^json-schema: it is nested more than 1000 levels deep$/,
    );
  });
});
