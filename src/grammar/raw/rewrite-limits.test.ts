import { describe, expect, it } from 'vitest';
import { parseGrammar } from './parse.js';
import { Rewriter } from './rewrite.js';

const rewrite = (grammar: string): string => new Rewriter(parseGrammar(grammar)).text();
const chain = (body: (next: string) => string, end: string, length: number): string =>
  [
    'root ::= r0',
    ...Array.from({ length }, (_, i) => `r${i} ::= ${body(`r${i + 1}`)}`),
    `r${length} ::= ${end}`,
  ].join('\n');

describe('a client’s grammar, however it is made,', () => {
  it('drops what is always empty, also when it leads back to itself', () => {
    expect(rewrite('root ::= none "a" again\nnone ::= ""\nagain ::= again | none')).toBe(
      'root ::= g0\ng0 ::= "a"\n',
    );
    expect(() => rewrite('root ::= root | ""')).toThrow('no text but the empty one');
  });

  it('refuses what would grow beyond measure', () => {
    expect(() => rewrite(`root ::= ${'"a"? '.repeat(20_000)}`)).toThrow('grammar: too many parts');
  });

  it('takes no time for rules that may be empty in countless ways, or that are far from each other', () => {
    const begun = performance.now();
    rewrite(chain((next) => `${next} ${next} | ${next}`, '"x"?', 60));
    rewrite(chain((next) => `${next} "y"?`, '"x"?', 10_000));
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
