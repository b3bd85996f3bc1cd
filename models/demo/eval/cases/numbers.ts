// Sums with number pairs that the corpus leaves out, the table of products in new wordings, comparing and counting.
import { isHeldPair } from '../../corpus/heldout.js';
import { HELD_PHRASINGS } from '../../corpus/heldout-phrasings.js';
import { createRandom } from '../../corpus/random.js';
import { around, type Case, contains, endsInNumber, fill, question } from '../case.js';

/** Pairs of numbers below 100 that no document has with this operation. */
export function heldPairs(
  operation: string,
  count: number,
  seed: number,
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let a = 10; a < 100; a += 1) {
    for (let b = 10; b < 100; b += 1) {
      if (isHeldPair(operation, a, b) && (operation === '+' || (operation === '-' ? a >= b : a !== b)))
        pairs.push([a, b]);
    }
  }
  return createRandom(seed).sample(pairs, count);
}

function sums(): Case[] {
  const added = heldPairs('+', 50, 11).map(([a, b], i) =>
    question('sums of two-digit numbers', fill(around(HELD_PHRASINGS.add, i), { a, b }), endsInNumber(a + b)),
  );
  const taken = heldPairs('-', 50, 12).map(([a, b], i) =>
    question(
      'differences of two-digit numbers',
      fill(around(HELD_PHRASINGS.subtract, i), { a, b }),
      endsInNumber(a - b),
    ),
  );
  const table = Array.from({ length: 144 }, (_, i) => [1 + Math.floor(i / 12), 1 + (i % 12)] as const);
  const products = createRandom(13)
    .sample(table, 60)
    .map(([a, b], i) =>
      question(
        'products up to 12 x 12',
        fill(around(HELD_PHRASINGS.multiply, i), { a, b }),
        endsInNumber(a * b),
      ),
    );
  return [...added, ...taken, ...products];
}

function comparing(): Case[] {
  const row = 'comparing, counting, even and odd';
  const larger = heldPairs('>', 20, 14).map(([a, b], i) =>
    question(row, fill(around(HELD_PHRASINGS.larger, i), { a, b }), ({ text }) =>
      text.trim().startsWith(String(Math.max(a, b))),
    ),
  );
  const smaller = heldPairs('>', 15, 15).map(([a, b], i) =>
    question(row, fill(around(HELD_PHRASINGS.smaller, i), { a, b }), ({ text }) =>
      text.trim().startsWith(String(Math.min(a, b))),
    ),
  );
  const unseen = Array.from({ length: 100 }, (_, n) => n).filter((n) => isHeldPair('e', n, 0));
  const parity = createRandom(16)
    .sample(unseen, 5)
    .map((n, i) =>
      question(
        row,
        fill(around(HELD_PHRASINGS.parity, i), { n }),
        contains(n % 2 === 0 ? 'is even' : 'is odd'),
      ),
    );
  const spans = Array.from(
    { length: 800 },
    (_, i) => [Math.floor(i / 9), Math.floor(i / 9) + 2 + (i % 9)] as const,
  ).filter(([a, b]) => isHeldPair('c', a, b));
  const counting = createRandom(17)
    .sample(spans, 20)
    .map(([a, b], i) =>
      question(row, fill(around(HELD_PHRASINGS.count, i), { a, b }), ({ text }) => {
        const expected = Array.from({ length: b - a + 1 }, (_, step) => String(a + step));
        return (text.match(/\d+/g) ?? []).join() === expected.join();
      }),
    );
  return [...larger, ...smaller, ...parity, ...counting];
}

/** All cases of this file. */
export function numberCases(): Case[] {
  return [...sums(), ...comparing()];
}
