// The OpenAI dialect's promise to existing clients, byte for byte.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAiDialect } from '../../../src/dialects/openai/index.js';
import type { Router } from '../../../src/protocol/index.js';
import { Metrics } from '../../../src/telemetry/index.js';
import { FakeEngine, fakeRouter } from '../../support/fake-engine.js';
import { type AnswerRules, play, readRecorded, record } from '../../support/recorded.js';
import { type Served, serveDialect } from '../../support/serve.js';

const folder = fileURLToPath(new URL('exchanges/', import.meta.url));

const rules: AnswerRules = {
  headers: ['content-type', 'cache-control', 'x-accel-buffering', 'allow', 'retry-after', 'www-authenticate'],
  volatile: [[/"id":"(chatcmpl|cmpl)-[0-9a-f]{24}"/g, '"id":"$1-ID"']],
};

describe('recorded exchanges', () => {
  // A fresh engine per exchange, so that token ids do not depend on what ran before.
  let engine = new FakeEngine();
  let served: Served;

  beforeAll(async () => {
    const clock = { now: () => performance.now(), epochSeconds: () => 1_750_000_000 };
    const router: Router = {
      resolve: (model) => fakeRouter(engine).resolve(model),
      models: () => fakeRouter(engine).models(),
    };
    served = await serveDialect(openAiDialect({ router, metrics: new Metrics(), clock }));
  });
  afterAll(() => served.close());

  const files = readdirSync(folder).sort();
  it('are there', () => expect(files.length).toBeGreaterThan(30));

  it.each(files)('%s', async (name) => {
    const recorded = readRecorded(folder + name);
    engine = new FakeEngine({ reply: recorded.engine });
    const answer = await play(served.url, recorded, rules);
    if (process.env['KOINE_RECORD'] === '1') record(folder + name, answer);
    else expect(answer).toBe(recorded.answer);
  });
});
