// Grammars written by clients: the checks on size that come before parsing.

import { LIMITS, refused } from '../limits.js';

/**
 * Refuses grammar text that is too long or unfolds too far by nested bounded repetition.
 * Literals, classes and comments are skipped; `(a{9}){9}` counts as 81.
 */
export function checkGrammar(text: string): void {
  if (text.length > LIMITS.textLength)
    throw refused('grammar', `it is longer than ${LIMITS.textLength} characters`);
  let line = 1;
  const open: { largest: number }[] = [{ largest: 1 }];
  let last = 1;
  const tokens = text.matchAll(
    /"(?:\\.|[^"\\\n])*"|\[(?:\\.|[^\]\\\n])*\]|#[^\n]*|\{(\d+)(?:,(\d*))?\}|[()\n]|[^\s()]/g,
  );
  for (const token of tokens) {
    const part = token[0];
    if (part === '\n') line += 1;
    else if (part === '(') open.push({ largest: 1 });
    else if (part === ')') {
      last = open.length > 1 ? (open.pop()?.largest ?? 1) : 1;
    } else if (token[1] !== undefined) {
      last *= Math.max(1, Number(token[2] || token[1]));
      if (last > LIMITS.repetition) {
        throw refused(
          'grammar',
          `line ${line}: its repetitions unfold to more than ${LIMITS.repetition} parts`,
        );
      }
    } else last = 1;
    const group = open.at(-1);
    if (group !== undefined) group.largest = Math.max(group.largest, last);
  }
}
