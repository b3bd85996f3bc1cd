// docs/errors.md against the list of codes, in both directions.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WIRE_ERRORS } from '../../src/dialects/openai/index.js';
import { ERROR_MESSAGES } from '../../src/protocol/index.js';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** Rows of the table as code, status and wire code. */
const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| `?(\w+)`? \|/gm)].map(([, code, status, wire]) => [
  code,
  Number(status),
  wire === 'null' ? null : wire,
]);

describe('docs/errors.md', () => {
  it('lists every code once, and no other', () => {
    expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(ERROR_MESSAGES).sort());
  });

  it('says what the OpenAI dialect sends for each', () => {
    const sent = Object.entries(WIRE_ERRORS).map(([code, { status, code: wire }]) => [code, status, wire]);
    expect(rows.sort()).toEqual(sent.sort());
  });
});
