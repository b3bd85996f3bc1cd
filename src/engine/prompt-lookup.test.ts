import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunner, type FakeRunnerOptions } from '../../test/support/fake-runner.js';
import { type LoopRequest, TestLoop } from '../../test/support/loop.js';
import { PromptLookup } from './prompt-lookup.js';
import { FIRST_DRAFT_RATE, type Sequence } from './sequence.js';

/** Lookup reads no more of a sequence than this. */
function sequence(text: string, draftRate = FIRST_DRAFT_RATE): Sequence {
  const codes = [...text].map((letter) => letter.charCodeAt(0));
  return { tokens: Int32Array.from(codes), length: codes.length, draftRate } as unknown as Sequence;
}

const cheap = (_rows: number) => 1;
const dear = (rows: number) => rows;

function proposed(text: string, most = 8, costOf = cheap, rate = FIRST_DRAFT_RATE): string {
  const lookup = new PromptLookup(most);
  return String.fromCharCode(...lookup.propose(sequence(text, rate), 1000, costOf));
}

describe('prompt lookup proposes', () => {
  it('what followed the last two tokens before', () => {
    expect(proposed('the cat sat. the c', 3)).toBe('at ');
    expect(proposed('abcdeab', 5)).toBe('cdeab');
  });

  it('the same again and again where it repeats at a short distance', () => {
    expect(proposed('abcdeab', 8)).toBe('cdeabcde');
    expect(proposed('xaaa', 4)).toBe('aaaa');
  });

  it('nothing where nothing is repeated, or one token only', () => {
    expect(proposed('abcdefg')).toBe('');
    expect(proposed('abcda')).toBe('');
    expect(proposed('a')).toBe('');
  });

  it('what followed the longest repetition, of equals the latest', () => {
    expect(proposed('1abX 2abY 1ab', 1)).toBe('X');
    expect(proposed('abX abY ab', 1)).toBe('Y');
  });

  it('no more than there is room for, and nothing when it is off', () => {
    const lookup = new PromptLookup(8);
    expect(lookup.propose(sequence('abcdeab'), 2, cheap)).toHaveLength(2);
    expect(lookup.propose(sequence('abcdeab'), 0, cheap)).toHaveLength(0);
    expect(proposed('abcdeab', 0)).toBe('');
  });

  it('as much as pays: more where steps with many rows are cheap and proposals mostly right', () => {
    const text = 'abcdefghijklmnopqrstuvwxyzab';
    expect(proposed(text, 15)).toHaveLength(15);
    expect(proposed(text, 15, dear)).toBe('');
    const byFours = (rows: number) => (rows === 1 ? 1 : 1 + 0.4 * Math.ceil(rows / 4));
    expect(proposed(text, 15, byFours, 0.9)).toHaveLength(11);
    expect(proposed(text, 15, byFours, 0.7)).toHaveLength(3);
    expect(proposed(text, 15, byFours, 0.1)).toBe('');
  });

  it('less after it was wrong, and again after a while', () => {
    const lookup = new PromptLookup(8);
    const one = sequence('abcdefghijab');
    const costOf = (rows: number) => (rows === 1 ? 1 : 1.5);
    expect(lookup.propose(one, 100, costOf).length).toBeGreaterThan(0);
    for (let i = 0; i < 8; i++) lookup.judged(one, 7, 0);
    expect(lookup.propose(one, 100, costOf)).toHaveLength(0);
    for (let i = 0; i < 100; i++) lookup.propose(one, 100, costOf);
    expect(lookup.propose(one, 100, costOf).length).toBeGreaterThan(0);
    expect(lookup.figures).toEqual({ proposed: 56, accepted: 0 });
  });

  it('now and then although it seems too dear: that was measured once', () => {
    const lookup = new PromptLookup(8);
    const lengths = (rate: number) =>
      Array.from(
        { length: 64 },
        () => lookup.propose(sequence('abcdeab', rate), 100, (rows) => rows ** 2).length,
      );
    expect(lengths(0.7).filter((length) => length === 8)).toHaveLength(2);
    expect(lengths(0.3).filter((length) => length > 0)).toHaveLength(0);
  });

  it('is judged by the tokens up to the first wrong one', () => {
    const lookup = new PromptLookup(8);
    const one = sequence('ab', 0.5);
    lookup.judged(one, 4, 4);
    expect(one.draftRate).toBeCloseTo(0.6);
    lookup.judged(one, 4, 1);
    expect(one.draftRate).toBeCloseTo(0.58);
  });
});

/** A model that says this text after `Q`. */
function run(
  say: string,
  promptLookup: number,
  request: Partial<LoopRequest> = {},
  how: FakeRunnerOptions = {},
) {
  const runner = createFakeRunner({ script: [{ after: 'Q', say }], contextPerSequence: 256, ...how });
  let ms = 0;
  // Every step takes as long as any other, so whatever can be proposed pays.
  const loop = new TestLoop(runner, { promptLookup, now: () => ms++ });
  const received = loop.submit({ prompt: 'Q', ...request, stop: { maxNewTokens: 90, ...request.stop } });
  loop.run();
  return { runner, loop, received, text: received.texts[0] ?? '', steps: runner.counters.decodes };
}

const VERSE = 'ONE LAMP, TWO DOORS; ONE LAMP, TWO DOORS; ONE LAMP, TWO HANDS';

function cellsAreWhole({ runner, loop }: { runner: FakeRunner; loop: TestLoop }): void {
  // What stays behind is what was computed and kept, no wrong token behind it.
  const cached = loop.places.audit().cells.cached;
  expect(runner.kvLength(0)).toBe(cached);
}

describe('a reply that repeats itself, with prompt lookup', () => {
  it('is the same in fewer steps', () => {
    const plain = run(VERSE, 0);
    const drafted = run(VERSE, 8);
    expect(drafted.text).toBe(plain.text);
    expect(drafted.text).toBe(VERSE);
    expect(drafted.steps).toBeLessThan(plain.steps * 0.7);
    expect(drafted.received.events.at(-1)).toMatchObject({ kind: 'finished' });
    const { proposed, accepted } = drafted.loop.loop.lookupFigures;
    expect(accepted).toBeGreaterThan(10);
    expect(proposed).toBeGreaterThan(accepted);
    cellsAreWhole(drafted);
  });

  it.each([
    ['a stop string', { stop: { stop: ['TWO HA'] } }],
    ['a limit of tokens', { stop: { maxNewTokens: 37 } }],
    ['a limit inside a repetition', { stop: { maxNewTokens: 31 } }],
    ['a stop token', { stop: { stopTokens: [';'.charCodeAt(0)] } }],
  ] as const)('ends at %s as it would otherwise', (_, request) => {
    const plain = run(VERSE, 0, request as Partial<LoopRequest>);
    const drafted = run(VERSE, 8, request as Partial<LoopRequest>);
    expect(drafted.received.events.at(-1)).toMatchObject({ kind: 'finished' });
    expect(drafted.text).toBe(plain.text);
    cellsAreWhole(drafted);
  });

  it('has the same tokens, scores and draws', () => {
    const request = {
      sampling: { temperature: 40, topK: 6, seed: '7', repetitionPenalty: 1.2 },
      output: { tokens: true, logprobs: 2 },
    } as const;
    const tokens = (promptLookup: number) =>
      run(VERSE, promptLookup, request).received.events.flatMap((event) =>
        event.kind === 'delta' ? (event.tokens ?? []) : [],
      );
    expect(tokens(8)).toEqual(tokens(0));
    expect(tokens(8).length).toBeGreaterThan(5);
  });

  it('leaves the KV as a later request needs it', () => {
    const { loop, runner } = run(VERSE, 8);
    const again = loop.submit({ prompt: `Q${VERSE.slice(0, 30)}`, stop: { maxNewTokens: 60 } });
    loop.run();
    const expected = run(VERSE, 0, { prompt: `Q${VERSE.slice(0, 30)}`, stop: { maxNewTokens: 60 } });
    expect(again.texts[0]).toBe(expected.text);
    expect(runner.counters.decodes).toBeGreaterThan(0);
  });

  it('is not tried beside others, nor where wrong tokens could not be taken back', () => {
    const runner = createFakeRunner({ script: [{ after: 'Q', say: VERSE }], contextPerSequence: 256 });
    const loop = new TestLoop(runner, { promptLookup: 8, now: () => 0 });
    for (let i = 0; i < 2; i++) loop.submit({ prompt: 'Q', stop: { maxNewTokens: 60 } });
    loop.run();
    expect(loop.loop.lookupFigures.proposed).toBe(0);
    expect(run(VERSE, 8, {}, { canMoveKv: false }).loop.loop.lookupFigures.proposed).toBe(0);
  });

  it('goes on by single tokens where a pool has no cells for proposals', () => {
    const runner = createFakeRunner({
      script: [{ after: 'Q', say: VERSE }],
      contextPerSequence: 80,
      totalCells: 80,
      kvLayout: 'unified',
    });
    let ms = 0;
    const loop = new TestLoop(runner, { promptLookup: 8, now: () => ms++ });
    const received = loop.submit({ prompt: 'Q', stop: { maxNewTokens: 70 } });
    while (loop.loop.lookupFigures.proposed === 0) loop.step();
    runner.failNext('no-space');
    loop.run();
    expect(received.texts[0]).toBe(VERSE);
  });

  it('is never offered what stands for embedding rows', () => {
    let ms = 0;
    const then = 'table';
    const runner = createFakeRunner({
      contextPerSequence: 96,
      script: [{ after: 'Q', say: 'zyzyzyzy', then }],
      onDecode: () => {
        ms += 5;
      },
    });
    const loop = new TestLoop(runner, { promptLookup: 6, now: () => ms });
    const rows = Buffer.from(new Float32Array(3 * 8).fill(0.5).buffer).toString('base64');
    const segments = [
      { kind: 'text', text: 'zy' },
      { kind: 'rows', count: 3, rows },
      { kind: 'text', text: 'Q' },
    ] as const;
    const received = loop.submit({ prompt: { kind: 'segments', segments }, stop: { maxNewTokens: 12 } });
    loop.run();
    expect(received.events.at(-1)?.kind).toBe('finished');
  });
});
