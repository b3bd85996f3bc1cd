// Random bodies against the Jan dialect: whatever is sent, it is answered or refused in the contract's shape, never
// with a 500, and the engine is asked only for what it can do.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JanUnderTest, startJan } from '../wire/jan/start.js';
import { type FieldSpec, ROUTES, TYPES } from './jan-fields.js';

/** Something a field may be sent: mostly a value of its own kind, sometimes anything. */
function sentTo({ type, ge = -5, le = 5 }: FieldSpec): fc.Arbitrary<unknown> {
  const { good, bad } = TYPES[type];
  const other = fc.oneof(
    fc.constantFrom(...bad.map(([value]) => value)),
    fc.constant(null),
    fc.double({ min: ge - 1, max: le + 1, noNaN: true }),
    fc.integer({ min: Math.floor(ge) - 1, max: Math.ceil(le) + 1 }),
    fc.jsonValue(),
  );
  return fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: other });
}

function bodyOf(fields: readonly FieldSpec[]): fc.Arbitrary<unknown> {
  const entries = Object.fromEntries(fields.map((field) => [field.name, sentTo(field)]));
  return fc.record(entries, { requiredKeys: [] });
}

describe('random bodies', () => {
  let server: JanUnderTest;
  beforeAll(async () => {
    server = await startJan({ reply: { tokens: ['a', { bytes: [0xf0, 0x9f] }, { bytes: [0x98, 0x80] }] } });
  });
  afterAll(() => server.close());

  it.each(ROUTES.filter(({ fields }) => fields !== undefined))(
    'at $path are answered or refused',
    async (route) => {
      const statuses = new Set<number>();
      const body = fc.oneof({ weight: 9, arbitrary: bodyOf(route.fields ?? []) }, fc.jsonValue());
      await fc.assert(
        fc.asyncProperty(body, async (value) => {
          const { status, json, text } = await server.post(route.path, JSON.stringify(value));
          statuses.add(status);
          if (status === 422) {
            const detail = json?.['detail'] as unknown as readonly Record<string, unknown>[];
            expect(detail.length).toBeGreaterThan(0);
            for (const fault of detail) {
              expect(fault).toMatchObject({ type: expect.any(String), msg: expect.any(String) });
              expect((fault['loc'] as readonly unknown[])[0]).toBe('body');
            }
          } else if (status === 400) expect(json?.['error']).toMatchObject({ message: expect.any(String) });
          else expect([status, text]).toEqual([200, expect.not.stringContaining('"error"')]);
        }),
        { numRuns: 300 },
      );
      expect([...statuses]).toEqual(expect.arrayContaining([200, 422]));
      for (const { sampling, stop, n, bestOf } of server.engine.requests) {
        expect(sampling.temperature).toBeGreaterThanOrEqual(0);
        expect([sampling.topP > 0 && sampling.topP <= 1, sampling.repetitionPenalty > 0]).toEqual([
          true,
          true,
        ]);
        expect(stop.maxNewTokens ?? 1).toBeGreaterThan(0);
        expect(bestOf).toBeGreaterThanOrEqual(n);
      }
      expect(server.engine.running).toBe(0);
    },
  );
});
