import { describe, expect, it } from 'vitest';
import { createFakeRunner, type FakeRunnerOptions } from '../../test/support/fake-runner.js';
import { type Received, TestLoop } from '../../test/support/loop.js';

/** A machine whose steps cost what `costOf` says, with so many places. */
function machine(costOf: (rows: number) => number, maxSequences = 8, options: FakeRunnerOptions = {}) {
  let ms = 0;
  const runner = createFakeRunner({
    maxSequences,
    contextPerSequence: 200,
    ...options,
    onDecode: ({ tokens }) => {
      ms += costOf(tokens);
    },
  });
  return { runner, loop: new TestLoop(runner, { now: () => ms }) };
}

/** Rows by fours are cheap, what is left over is dear. */
const byFours = (rows: number) => Math.floor(rows / 4) * 20 + (rows % 4 === 0 ? 0 : 18 + 6 * (rows % 4));
const byRow = (rows: number) => rows;

const prompts = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];

function start(loop: TestLoop, many: number, maxNewTokens = 60): Received[] {
  return prompts.slice(0, many).map((prompt) => loop.submit({ prompt, stop: { maxNewTokens } }));
}

/** What a prompt gets when it has the machine to itself. */
const alone = (i: number, maxNewTokens: number): string =>
  machine(byRow).loop.text({ prompt: prompts[i] ?? '', stop: { maxNewTokens } });

const rowsOfSteps = (runner: ReturnType<typeof machine>['runner']) =>
  runner.steps.filter(({ parts }) => parts.every(({ count }) => count === 1)).map(({ tokens }) => tokens);

describe('a decode step', () => {
  it.each([5, 6, 7])('of %i sequences is filled up to eight where that is cheaper', (many) => {
    const { loop, runner } = machine(byFours);
    const received = start(loop, many);
    loop.run();
    const rows = rowsOfSteps(runner);
    // One step shows what it costs without; all others have eight.
    expect(rows.filter((count) => count === many).length).toBeLessThan(5);
    expect(rows.filter((count) => count === 8).length).toBeGreaterThan(50);
    for (const [i, { texts }] of received.entries()) {
      expect(texts[0]).toBe(alone(i, 60));
    }
  });

  it('is not filled where that costs more, but looked at again from time to time', () => {
    const { loop, runner } = machine(byRow);
    start(loop, 7, 190);
    loop.run();
    const padded = rowsOfSteps(runner).filter((count) => count === 8).length;
    expect(padded).toBeGreaterThan(0);
    expect(padded).toBeLessThan(4);
  });

  it.each([
    ['one of few sequences', 3, 8, {}],
    ['one that is full', 4, 8, {}],
    ['one with no places left', 6, 6, {}],
    ['a shared pool', 6, 8, { kvLayout: 'unified', totalCells: 1000 }],
    ['a state that cannot be cut', 6, 8, { canMoveKv: false }],
  ] as const)('is left alone: %s', (_, many, places, options) => {
    const { loop, runner } = machine(byFours, places, options);
    start(loop, many);
    loop.run();
    expect(Math.max(...rowsOfSteps(runner))).toBe(many);
  });

  it('takes places of prompts that wait their turn, and leaves these as they were', () => {
    const { loop, runner } = machine(byFours, 8, { contextPerSequence: 400 });
    const received = start(loop, 6, 150);
    for (let i = 0; i < 20; i++) loop.step();
    // Two more make eight: no place is free while their prompts are read, in several steps.
    const long = ['x'.repeat(300), 'y'.repeat(280)].map((prompt) =>
      loop.submit({ prompt, stop: { maxNewTokens: 20 } }),
    );
    const from = runner.steps.length;
    while (long.some(({ texts }) => texts.length === 0)) loop.step();
    const decodes = runner.steps.slice(from).filter(({ parts }) => parts.every(({ count }) => count === 1));
    expect(decodes.length).toBeGreaterThan(1);
    // One step of seven shows what it costs without.
    expect(decodes.filter(({ tokens }) => tokens !== 8).length).toBeLessThan(2);
    loop.run();
    for (const [i, { texts }] of received.entries()) expect(texts[0]).toBe(alone(i, 150));
    for (const [i, { texts }] of long.entries()) {
      const prompt = ['x'.repeat(300), 'y'.repeat(280)][i] ?? '';
      const other = machine(byRow, 8, { contextPerSequence: 400 });
      expect(texts[0]).toBe(other.loop.text({ prompt, stop: { maxNewTokens: 20 } }));
    }
    expect(loop.places.audit().cells.running).toBe(0);
  });

  it('that fails takes what lay in its pads with it, but nobody who only lent a place', () => {
    const { loop, runner } = machine(byFours, 8, { contextPerSequence: 400 });
    start(loop, 6, 150);
    for (let i = 0; i < 20; i++) loop.step();
    const long = loop.submit({ prompt: 'x'.repeat(300), stop: { maxNewTokens: 20 } });
    while (runner.steps.at(-1)?.tokens !== 8 || runner.kvTokens(6).length < 17) loop.step();
    // The last step was a decode step, so a chunk of the prompt is next, and then the one that fails.
    loop.step();
    runner.failNext('failed');
    loop.run();
    const other = machine(byRow, 8, { contextPerSequence: 400 });
    expect(long.texts[0]).toBe(other.loop.text({ prompt: 'x'.repeat(300), stop: { maxNewTokens: 20 } }));
    const { running, cached } = loop.places.audit().cells;
    expect(runner.usedCells()).toBe(running + cached);
  });

  it('that fails is not trusted with what lay in a free place either', () => {
    const { loop, runner } = machine(byFours);
    const kept = 'a conversation whose prefix somebody will want again';
    loop.text({ prompt: kept, stop: { maxNewTokens: 4 } });
    start(loop, 7);
    for (let i = 0; i < 20; i++) loop.step();
    expect(runner.steps.at(-1)?.tokens).toBe(8);
    runner.failNext('failed');
    loop.step();
    expect(loop.text({ prompt: kept, stop: { maxNewTokens: 4 } })).toBe(
      machine(byRow).loop.text({ prompt: kept, stop: { maxNewTokens: 4 } }),
    );
  });

  it('leaves what lies in the places it uses as it was', () => {
    const { loop, runner } = machine(byFours);
    const kept = 'a conversation whose prefix somebody will want again';
    loop.text({ prompt: kept, stop: { maxNewTokens: 4 } });
    const before = runner.kvTokens(0).length;
    const received = start(loop, 7, 120);
    loop.run();
    expect(received.every(({ isDone }) => isDone)).toBe(true);
    const again = loop.submit({ prompt: kept, stop: { maxNewTokens: 4 } });
    loop.run();
    expect(again.events[0]).toMatchObject({ kind: 'started' });
    expect(before).toBeGreaterThan(kept.length / 2);
    expect(again.texts[0]).toBe(machine(byRow).loop.text({ prompt: kept, stop: { maxNewTokens: 4 } }));
    const { running, cached } = loop.places.audit().cells;
    expect(runner.usedCells()).toBe(running + cached);
  });

  it('goes behind one that has ended, also if that was longer than those who run', () => {
    const { loop, runner } = machine(byFours, 8, { contextPerSequence: 64 });
    const ends = loop.submit({ prompt: 'ends', stop: { maxNewTokens: 500 } });
    while (!ends.isDone) loop.step();
    start(loop, 7, 50);
    loop.run();
    // Its own last token was never computed, so there is room for one.
    expect(rowsOfSteps(runner).filter((count) => count === 8).length).toBeGreaterThan(20);
    expect(loop.places.audit().cells.running).toBe(0);
  });

  it('fills gaps between places first, and takes no place that does not join on', () => {
    const { loop, runner } = machine(byFours, 16);
    const received = start(loop, 7, 100);
    for (let i = 0; i < 20; i++) loop.step();
    // A gap in the middle: the pads are two, one of them there.
    const third = received[2];
    if (third !== undefined) loop.loop.cancel(third.key);
    loop.step();
    loop.step();
    const places = runner.steps.at(-1)?.parts.map(({ sequence }) => sequence) ?? [];
    expect(places).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    loop.run();
    for (const [i, { texts }] of received.entries()) {
      if (i !== 2) expect(texts[0]).toBe(alone(i, 100));
    }
  });
});
