import { describe, expect, it } from 'vitest';
import { checkGrammar } from './check.js';
import { parseGrammar } from './parse.js';
import { Rewriter } from './rewrite.js';

const rewrite = (text: string): string => new Rewriter(parseGrammar(text)).text();

describe('client grammars', () => {
  it('keep literals, classes, groups, repetitions and comments', () => {
    expect(rewrite('root ::= "a\\n" [a-c]{2,3} (x | "y")+ # end\nx ::= "\\x41" .')).toBe(
      'root ::= g0\nloop1 ::= g1 loop1 | "y" loop1 | g1 | "y"\n' +
        'g0 ::= "a\\u000a" [a-c]{2,3} loop1\ng1 ::= "A" [^\\u0000]\n',
    );
  });

  it('have no rule left that matches the empty text', () => {
    expect(rewrite('root ::= "a" ws "b" ws\nws ::= ([ \\t] ws)?')).toBe(
      'root ::= g0\ng0 ::= "a" (g1)? "b" (g1)?\ng1 ::= ([\\u0009 ] (g1)?)\n',
    );
    expect(rewrite('root ::= a b\na ::= "x"?\nb ::= "y"*')).toBe(
      'root ::= (g0)?\ng0 ::= (g1 (g2)? | g2)\ng1 ::= ("x")\ng2 ::= ("y")+\n',
    );
    expect(rewrite('root ::= "x" e\ne ::= ""')).toBe('root ::= g0\ng0 ::= "x"\n');
    expect(rewrite('root ::= "x" a\na ::= b?\nb ::= a?')).toBe('root ::= g0\ng0 ::= "x"\n');
  });

  it.each([
    ['rule ::= "a"', 'it has no rule named root'],
    ['root ::= "a', 'line 1, column 10: a text is not closed'],
    ['root ::= "a"\n  | (b', 'line 2, column 5: a group is not closed'],
    ['root ::= a\nb ::= "x"', 'line 1, column 10: the rule a is not defined'],
    ['root ::= [z-a]', 'a range of characters is out of order'],
    ['root ::= "a"{3,1}', 'the numbers of a repetition are out of order'],
    ['root ::= "a"\nroot ::= "b"', 'line 2, column 1: the rule root is defined twice'],
    ['root ::= * "a"', 'line 1, column 10: unexpected "*"'],
    ['root ::= ""', 'no text but the empty one'],
  ])('%j is refused: %s', (text, why) => {
    expect(() => rewrite(text)).toThrow(why);
  });

  it('are refused when nested repetitions explode', () => {
    expect(() => checkGrammar('root ::= "x"\na ::= (("a"{100}){100}){100}')).toThrow(
      /line 2: its repetitions/,
    );
    expect(() => checkGrammar('root ::= ("a"{100} "b"{100}){100}')).not.toThrow();
    expect(() => checkGrammar(`root ::= "${'a'.repeat(300_000)}"`)).toThrow(/longer than/);
  });
});
