// Calls that are held in the step loop: a model that is a table, a grammar that is a list of texts. What the real
// grammars allow is in hold-calls.test.ts.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFakeRunner, type FakeScript } from '../../../test/support/fake-runner.js';
import { type LoopRequest, type Received, TestLoop } from '../../../test/support/loop.js';
import { TextMatcher } from '../../../test/support/text-matcher.js';
import { KoineError } from '../../protocol/index.js';
import type { CallGrammar } from './call-grammar.js';
import { CallWatch } from './call-watch.js';
import { createHeldCalls, type HeldCalls } from './held-calls.js';
import type { Matcher } from './matcher.js';
import type { MatcherEntry } from './messages.js';

const MARK = { pieces: ['<call>'], isFirst: false, written: '<call>' };
const WORDS = 'ONE LAMP, TWO DOORS; ONE LAMP, TWO DOORS; ONE LAMP, TWO HANDS';
/** A model that calls what is not there. */
const CALLS: readonly FakeScript[] = [
  { after: 'Q', say: 'Well: <call>ZZ</call> so be it' },
  { after: '</call>', say: ' and so on' },
];

interface Setting {
  readonly script?: readonly FakeScript[];
  /** What calls may be. */
  readonly calls?: readonly string[];
  /** The grammar is ready later, never, or not to be had. */
  readonly grammar?: 'ready' | 'later' | 'never' | 'failed' | 'none';
  readonly isLast?: boolean;
  readonly isStrict?: boolean;
  readonly promptLookup?: number;
  /** Without anything to hold. */
  readonly isBare?: boolean;
  readonly maxSequences?: number;
}

function start(setting: Setting) {
  const runner = createFakeRunner({
    script: setting.script ?? CALLS,
    contextPerSequence: 256,
    maxSequences: setting.maxSequences ?? 4,
  });
  let ms = 0;
  const loop = new TestLoop(runner, { promptLookup: setting.promptLookup ?? 0, now: () => ms++ });
  const matchers: TextMatcher[] = [];
  const entries: MatcherEntry[] = [];
  const open = (entry: MatcherEntry): Matcher => {
    entries.push(entry);
    const inner = new TextMatcher(runner.vocabulary, setting.calls ?? ['ON</call>'], { forces: true });
    matchers.push(inner);
    return {
      mask: (waitMs = 0) => inner.mask(waitMs),
      accept: (tokens) => inner.accept(tokens),
      forced: (tokenize) => inner.forced(tokenize),
      isTerminated: () =>
        entry.endsWithCall &&
        (setting.calls ?? ['ON</call>']).includes(runner.vocabulary.text(inner.accepted)),
      dispose: () => inner.dispose(),
    };
  };
  const figures = { begun: 0, left: 0 };
  const grammar: CallGrammar = {
    begin: () => figures.begun++,
    leave: () => figures.left++,
    open: (entry) => {
      switch (setting.grammar ?? 'ready') {
        case 'ready':
          return open(entry);
        case 'later':
          return new Promise((resolve) => setImmediate(() => resolve(open(entry))));
        case 'never':
          return new Promise(() => undefined);
        case 'failed':
          return Promise.reject(new KoineError('constraint', 'it is too large'));
        case 'none':
          return undefined;
      }
    },
  };
  const { isLast = false, isStrict = false } = setting;
  const wiring = {
    grammar,
    bytesOf: (token: number) => runner.vocabulary.bytes(token),
    isLast,
    isStrict,
  };
  const hold = (): HeldCalls => createHeldCalls(wiring, new CallWatch({ marks: [MARK], reasoning: 'none' }));
  return { runner, loop, matchers, entries, figures, hold };
}

async function run(setting: Setting = {}, request: Partial<LoopRequest> = {}) {
  const parts = start(setting);
  const { loop, hold, matchers } = parts;
  const holds = setting.isBare === true ? undefined : Array.from({ length: request.n ?? 1 }, hold);
  const stop = { maxNewTokens: 90, ...request.stop };
  const received = loop.submit({ prompt: 'Q', ...request, stop }, holds);
  for (let turn = 0; loop.loop.hasWork && turn < 300; turn++) {
    loop.step();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(matchers.every(({ disposals }) => disposals === 1)).toBe(true);
  return { ...parts, received, text: received.texts[0], last: received.events.at(-1) };
}

const tokensOf = ({ events }: Received) =>
  events.flatMap((event) => (event.kind === 'delta' ? [...(event.tokens ?? [])] : []));

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a reply that makes no call', () => {
  it('has the tokens and scores it would have anyhow, drawn or greedy, drafted or not', async () => {
    const scripts = [[{ after: 'Q', say: WORDS }], []];
    const samplings = [{ temperature: 0 }, { temperature: 2, seed: '3', topP: 0.9, frequencyPenalty: 0.3 }];
    for (const script of scripts)
      for (const sampling of samplings)
        for (const promptLookup of [0, 8]) {
          const request = { sampling, output: { tokens: true, logprobs: 2 } };
          const setting = { script, promptLookup };
          const bare = await run({ ...setting, isBare: true }, request);
          const held = await run(setting, request);
          expect(held.text).toBe(bare.text);
          expect(tokensOf(held.received)).toEqual(tokensOf(bare.received));
          expect(held.runner.counters.decodes).toBe(bare.runner.counters.decodes);
          expect([held.matchers.length, held.figures]).toEqual([0, { begun: 0, left: 1 }]);
        }
  });

  it('ends as it would: at EOS, a limit, or not at all where EOS is ignored', async () => {
    const script = [{ after: 'Q', say: 'no.' }];
    for (const stop of [{}, { maxNewTokens: 2 }, { ignoreEos: true, maxNewTokens: 9 }, { minNewTokens: 6 }]) {
      const [bare, held] = [await run({ script, isBare: true }, { stop }), await run({ script }, { stop })];
      expect(held.text).toBe(bare.text);
      expect(held.received.events).toEqual(
        bare.received.events.map((event) => expect.objectContaining({ kind: event.kind })),
      );
    }
  });
});

describe('a call', () => {
  it('is held from its mark to its end, and what follows is free', async () => {
    const { text, matchers, entries } = await run();
    expect(text).toBe('Well: <call>ON</call> and so on');
    expect(matchers).toHaveLength(1);
    expect(entries).toEqual([{ written: '<call>', endsWithCall: true }]);
  });

  it('may be followed by another', async () => {
    const script = [
      { after: 'Q', say: '<call>Z' },
      { after: '</call>', say: '\n<call>Z' },
    ];
    const { text } = await run({ script }, { stop: { maxNewTokens: 45 } });
    expect(text).toMatch(/^<call>ON<\/call>\n<call>ON<\/call>\n<call>/);
  });

  it('is followed to the end of the reply where it is the last', async () => {
    const { text, last } = await run({ isLast: true });
    expect([text, last?.kind]).toEqual(['Well: <call>ON</call>', 'finished']);
  });

  it('is the same with scores, and where its grammar is late', async () => {
    const plain = await run();
    for (const [setting, request] of [
      [{}, { output: { tokens: true, logprobs: 1 } }],
      [{ grammar: 'later' }, {}],
      [{ grammar: 'later', promptLookup: 8 }, {}],
    ] as const) {
      expect((await run(setting, request)).text).toBe(plain.text);
    }
  });

  it('is held where it is said again, which ends what was drafted', async () => {
    const script = [
      { after: 'Q', say: 'A LAMP; <call>ZZ' },
      { after: '</call>', say: '; A LAMP; <call>ZZ' },
    ];
    // Two, so that what is picked is not what is forced.
    const calls = ['ON</call>', 'IN</call>'];
    const plain = await run({ script, calls });
    const drafted = await run({ script, calls, promptLookup: 8 });
    expect(plain.text).toMatch(/^(A LAMP; <call>.N<\/call>; ){3}/);
    expect(drafted.text).toBe(plain.text);
    expect(drafted.loop.loop.lookupFigures.accepted).toBeGreaterThan(0);
  });

  it('is cut by a stop string or a limit as any text', async () => {
    expect((await run({}, { stop: { stopStrings: ['N</c'] } })).text).toBe('Well: <call>O');
    expect((await run({}, { stop: { maxNewTokens: 13 } })).text).toBe('Well: <call>O');
  });

  it('is held in each choice by itself, also when they take turns', async () => {
    const { received, matchers, figures } = await run(
      { maxSequences: 2, calls: ['ON</call>', 'TWO</call>', 'TREE</call>'] },
      { n: 4, sampling: { temperature: 4, seed: '4' }, stop: { maxNewTokens: 60 } },
    );
    expect(matchers.length).toBeGreaterThanOrEqual(4);
    expect(figures).toEqual({ begun: 4, left: 4 });
    for (const text of received.texts) expect(text).toMatch(/^Well: <call>(ON|TWO|TREE)<\/call>/);
  });
});

describe('a call that cannot be held', () => {
  it.each(['failed', 'none'] as const)('is made as it comes: %s', async (grammar) => {
    const { text, last } = await run({ grammar });
    expect([text, last?.kind]).toEqual(['Well: <call>ZZ</call> so be it', 'finished']);
  });

  it('because its grammar does not come waits ten seconds, and no more', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 100));
    const { text, last } = await run({ grammar: 'never' });
    expect([text, last?.kind]).toEqual(['Well: <call>ZZ</call> so be it', 'finished']);
    expect(now).toBeGreaterThan(10_000);
  });

  it('because nothing of it may be picked is let go, and fails where a tool is strict', async () => {
    const { vocabulary } = createFakeRunner();
    // What is forced is not picked.
    const calls = ['ON</call>', 'IN</call>'];
    const logitBias = ['O', 'I'].map((text) => [vocabulary.id(text), Number.NEGATIVE_INFINITY] as const);
    const banned = { sampling: { logitBias } };
    const { text } = await run({ calls }, banned);
    expect(text).toBe('Well: <call>ZZ</call> so be it');
    const { last } = await run({ calls, isStrict: true }, banned);
    expect(last).toMatchObject({ kind: 'failed', failure: { code: 'constraint' } });
  });

  it('fails where a tool is strict', async () => {
    const { last, text } = await run({ grammar: 'failed', isStrict: true });
    expect([text, last?.kind]).toEqual(['Well: <call>', 'failed']);
    expect(last).toMatchObject({ failure: { message: expect.stringContaining('it is too large') } });
  });
});
