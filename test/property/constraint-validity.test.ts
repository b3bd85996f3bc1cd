// Whatever is picked among allowed tokens, a finished output is valid: random schemas, the built-in model's own
// vocabulary, ajv as judge. KOINE_RUNS sets the number of schemas; KOINE_VOCABULARY makes up a vocabulary of that size.

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConstraintHost, createConstraintHost } from '../../src/engine/constraint/index.js';
import { type Constraint, KoineError } from '../../src/protocol/index.js';
import { randomSchema } from './constraint-schemas.js';
import {
  generate,
  inventVocabulary,
  mulberry,
  readVocabulary,
  type TestVocabulary,
} from './constraint-support.js';

const RUNS = Number(process.env['KOINE_RUNS'] ?? 200);
const INVENTED = Number(process.env['KOINE_VOCABULARY'] ?? 0);
const MODEL = new URL('../../models/demo/koine-demo-q8_0.gguf', import.meta.url).pathname;

let host: ConstraintHost;
let vocabulary: TestVocabulary;

beforeAll(async () => {
  vocabulary = INVENTED > 0 ? inventVocabulary(INVENTED) : await readVocabulary(MODEL);
  host = createConstraintHost({ tokens: vocabulary, eogTokens: vocabulary.eogTokens, maxWorkers: 2 });
});
afterAll(() => host.dispose());

async function generateFrom(constraint: Constraint, seed: number): Promise<ReturnType<typeof generate>> {
  const outcome = await host.compile(constraint);
  if (outcome.kind !== 'compiled') throw new Error(outcome.reason);
  const matcher = outcome.constraint.createMatcher();
  try {
    return generate(vocabulary, matcher, mulberry(seed));
  } finally {
    matcher.dispose();
    outcome.constraint.release();
  }
}

describe('constrained output', () => {
  it('is valid under its schema', { timeout: 1_200_000 }, async () => {
    const whitespace = fc.constantFrom('none' as const, 'single' as const, 'any' as const);
    const seen = { complete: 0, cut: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(randomSchema, whitespace, fc.integer(), async (schema, spaces, seed) => {
        // The judge cannot compare values with such members.
        fc.pre(!/"(valueOf|toString)"/.test(JSON.stringify(schema)));
        const constraint: Constraint = { kind: 'json-schema', schema, strict: true, whitespace: spaces };
        let output: ReturnType<typeof generate>;
        try {
          output = await generateFrom(constraint, seed);
        } catch (thrown) {
          // Contradictory and unsupported schemas are refused; anything else is a fault.
          if (
            !(thrown instanceof KoineError) ||
            !/no value can match|not supported|overlap/.test(thrown.message)
          )
            throw thrown;
          seen.refused += 1;
          return;
        }
        if (!output.isComplete) {
          seen.cut += 1;
          return;
        }
        seen.complete += 1;
        const value: unknown = JSON.parse(output.text);
        const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object);
        const isValid = validate(value);
        expect(isValid, `${output.text}\n${JSON.stringify(validate.errors)}`).toBe(true);
      }),
      { numRuns: RUNS },
    );
    // Most schemas must have been usable, or the property says nothing.
    expect(seen.complete).toBeGreaterThan(RUNS * 0.6);
  });

  it('is an object when any object is asked for', async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const { text, isComplete } = await generateFrom({ kind: 'json-object' }, seed);
      if (isComplete) expect(JSON.parse(text)).toBeTypeOf('object');
    }
  });
});
