// The Jan dialect's promise to existing clients, byte for byte.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Router } from '../../../src/protocol/index.js';
import { FakeEngine, fakeRouter } from '../../support/fake-engine.js';
import { type AnswerRules, play, readRecorded, record } from '../../support/recorded.js';
import { type JanUnderTest, startJan } from './start.js';

const folder = fileURLToPath(new URL('exchanges/', import.meta.url));

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const rules: AnswerRules = {
  headers: ['content-type', 'cache-control', 'x-accel-buffering', 'allow', 'retry-after', 'www-authenticate'],
  volatile: [
    [new RegExp(`"id":"(chatcmpl|cmpl)-${UUID}"`, 'g'), '"id":"$1-ID"'],
    [new RegExp(`"id":"(call__\\d+_[^"]*_cmpl)-${UUID}"`, 'g'), '"id":"$1-ID"'],
  ],
};

describe('recorded exchanges', () => {
  // A fresh engine per exchange, so that token ids do not depend on what ran before.
  let engine = new FakeEngine();
  let server: JanUnderTest;
  beforeAll(async () => {
    const router: Router = {
      resolve: (model) => fakeRouter(engine).resolve(model),
      models: () => fakeRouter(engine).models(),
    };
    server = await startJan({ options: { router } });
  });
  afterAll(() => server.close());

  const files = readdirSync(folder).sort();
  it('are there', () => expect(files.length).toBeGreaterThan(40));

  it.each(files)('%s', async (name) => {
    const recorded = readRecorded(folder + name);
    engine = new FakeEngine({ reply: recorded.engine });
    const answer = await play(server.url, recorded, rules);
    if (process.env['KOINE_RECORD'] === '1') record(folder + name, answer);
    else expect(answer).toBe(recorded.answer);
  });
});
