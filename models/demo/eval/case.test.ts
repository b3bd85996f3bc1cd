// The checks of the evaluation, and that its cases are many, distinct and built from held-out material.
import { describe, expect, it } from 'vitest';
import { HELD_TOOL_NAMES } from '../corpus/heldout.js';
import { calls, contains, endsInNumber, fill, isJson, sameJson, says } from './case.js';
import { allCases } from './cases/index.js';
import { knowledgeCases } from './cases/knowledge.js';
import { newUse } from './cases/new-tools.js';
import type { Reply } from './client.js';
import { triples } from './embeddings.js';
import { formatTable, WANTED } from './table.js';

const CASES = allCases();

function reply(text: string, made: Reply['calls'] = []): Reply {
  return { text, reasoning: '', calls: made, ended: true };
}

describe('checks', () => {
  it('compare text, numbers and JSON', () => {
    expect(contains('Paris')(reply('it is PARIS.'))).toBe(true);
    expect(says('A B')(reply(' A B.\n'))).toBe(true);
    expect(says('A B')(reply('A b'))).toBe(false);
    expect(endsInNumber(12)(reply('5 + 7 = 12.'))).toBe(true);
    expect(endsInNumber(-3)(reply('2 - 5 = -3'))).toBe(true);
    expect(isJson({ a: 1, b: 'x' })(reply('{"b": "x", "a": 1}'))).toBe(true);
    expect(isJson({ a: 1 })(reply('a is 1'))).toBe(false);
    expect(sameJson({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
    expect(fill('{a} and {b}', { a: 1 })).toBe('1 and {b}');
  });

  it('want exactly one call with these arguments', () => {
    const call = { name: 'f', args: { y: 2, x: 1 } };
    expect(calls('f', { x: 1, y: 2 })(reply('', [call]))).toBe(true);
    expect(calls('f', { x: 1, y: 2 })(reply('', [call, call]))).toBe(false);
    expect(calls('g', { x: 1, y: 2 })(reply('', [call]))).toBe(false);
  });
});

describe('cases', () => {
  it('cover every row that has a goal', () => {
    const rows = new Set([...CASES.map(({ row }) => row), 'embeddings: near-duplicate closer']);
    expect(Object.keys(WANTED).filter((row) => !rows.has(row))).toEqual([]);
    for (const row of rows) {
      if (row.startsWith('embeddings')) continue;
      expect(CASES.filter((entry) => entry.row === row).length, row).toBeGreaterThanOrEqual(20);
    }
  });

  it('fail an empty reply', () => {
    expect(CASES.filter(({ isRight }) => isRight(reply('')))).toEqual([]);
  });

  it('use only held-out tools as new ones', () => {
    for (let i = 0; i < 40; i += 1) expect(HELD_TOOL_NAMES).toContain(newUse(i).name);
  });

  it('leave no slot unfilled', () => {
    expect(CASES.filter(({ shown }) => /\{[a-z]\}/.test(shown))).toEqual([]);
  });

  it('are the same every time', () => {
    expect(triples()).toEqual(triples());
    expect(knowledgeCases().map(({ shown }) => shown)).toEqual(knowledgeCases().map(({ shown }) => shown));
  });
});

describe('formatTable', () => {
  it('shows rates beside goals', () => {
    const table = formatTable([{ name: 'x', right: 19, cases: 20, wanted: 95 }]);
    expect(table).toContain('19 of 20');
    expect(table).toContain('yes');
  });
});
