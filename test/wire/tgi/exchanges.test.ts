// The promise of both TGI dialects to existing clients, byte for byte.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TGI_OPTIONS, type TgiDeps, tgi, tgi14 } from '../../../src/dialects/tgi/index.js';
import type { Dialect } from '../../../src/http/index.js';
import type { Router } from '../../../src/protocol/index.js';
import { FakeEngine, fakeRouter } from '../../support/fake-engine.js';
import { type AnswerRules, play, readRecorded, record } from '../../support/recorded.js';
import { type Served, serveDialect } from '../../support/serve.js';

const rules: AnswerRules = {
  headers: [
    'content-type',
    'cache-control',
    'x-accel-buffering',
    'location',
    'x-compute-type',
    'x-compute-time',
    'x-compute-characters',
    'x-total-time',
    'x-validation-time',
    'x-queue-time',
    'x-inference-time',
    'x-time-per-token',
    'x-prompt-tokens',
    'x-generated-tokens',
  ],
  volatile: [[/^(x-compute-time|x-total-time|x-validation-time): [0-9.e-]+$/gm, '$1: TIME']],
};

const versions: readonly (readonly [string, (deps: TgiDeps) => Dialect])[] = [
  ['tgi', tgi],
  ['tgi-1.4', tgi14],
];

describe.each(versions)('recorded exchanges of %s', (name, create) => {
  const folder = fileURLToPath(new URL(`../${name}/exchanges/`, import.meta.url));
  // A fresh engine per exchange, so that token ids do not depend on what ran before.
  let engine = new FakeEngine();
  let served: Served;

  beforeAll(async () => {
    const clock = { now: () => performance.now(), epochSeconds: () => 1_750_000_000 };
    const router: Router = {
      resolve: (model) => fakeRouter(engine).resolve(model),
      models: () => fakeRouter(engine).models(),
    };
    served = await serveDialect(create({ router, options: DEFAULT_TGI_OPTIONS, clock }));
  });
  afterAll(() => served.close());

  const files = readdirSync(folder).sort();
  it('are there', () => expect(files.length).toBeGreaterThan(50));

  it.each(files)('%s', async (file) => {
    const recorded = readRecorded(folder + file);
    engine = new FakeEngine({ reply: recorded.engine });
    const answer = await play(served.url, recorded, rules);
    if (process.env['KOINE_RECORD'] === '1') record(folder + file, answer);
    else expect(answer).toBe(recorded.answer);
  });
});
