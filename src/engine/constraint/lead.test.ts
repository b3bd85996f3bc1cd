import { describe, expect, it } from 'vitest';
import { Lead } from './lead.js';

/** What is behind the lead, byte by byte and at once. */
function behind(begin: string, end: string, text: string): string {
  const whole = new Lead({ begin, end });
  const rest = Buffer.from(whole.take(Buffer.from(text))).toString();
  const single = new Lead({ begin, end });
  const bytes = [...Buffer.from(text)].map((byte) => Buffer.from(single.take(Uint8Array.of(byte))));
  expect(Buffer.concat(bytes).toString()).toBe(rest);
  expect(single.isOver).toBe(whole.isOver);
  return whole.isOver ? rest : 'not over';
}

describe('the lead of an output', () => {
  it.each([
    ['', '</think>', 'deep\n</think>\n\n{}', '\n\n{}'],
    ['', '</think>', `${'long '.repeat(1000)}<</think>x`, 'x'],
    ['', '</think>', 'never closed', 'not over'],
    ['<think>', '</think>', '<think>a</think>b', 'b'],
    ['<think>', '</think>', '<thin', 'not over'],
    ['<think>', '</think>', '<thing>', '<thing>'],
    ['<think>', '</think>', '{"a": "</think>"}', '{"a": "</think>"}'],
    ['<think>', '</think>', '<think></think>', ''],
  ])('%s %s of %s ends before %s', (begin, end, text, rest) => {
    expect(behind(begin, end, text)).toBe(rest);
  });
});
