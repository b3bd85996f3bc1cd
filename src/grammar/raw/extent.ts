// How far a client's grammar spreads when it is followed by keeping every way open, as llama.cpp does, without limits
// of time or memory. Such a sampler is given only what stays small whatever the text is.

import { type GrammarNode, parseGrammar } from './parse.js';

const LIMITS = {
  /** Places in the grammar with every rule written out where it is used. */
  places: 50_000,
  /** Ways from one place to the next characters. */
  ways: 5000,
  /** Rules within rules. */
  depth: 200,
} as const;

/** A part of a grammar in numbers. */
interface Extent {
  readonly places: number;
  /** Ways to its first characters. */
  readonly starts: number;
  /** Ways to be empty. */
  readonly passes: number;
}

/** Thrown inside; the answer is no. */
class TooWide extends Error {}

class Measure {
  readonly #rules: ReadonlyMap<string, GrammarNode>;
  readonly #known = new Map<string, Extent | undefined>();
  #depth = 0;

  constructor(rules: ReadonlyMap<string, GrammarNode>) {
    this.#rules = rules;
  }

  rule(name: string): Extent {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const node = this.#rules.get(name);
    // A rule on the way to itself: the ways may double with each character.
    if (node === undefined || this.#known.has(name) || this.#depth === LIMITS.depth) throw new TooWide();
    this.#known.set(name, undefined);
    this.#depth++;
    const extent = this.#of(node);
    this.#depth--;
    this.#known.set(name, extent);
    return extent;
  }

  #of(node: GrammarNode): Extent {
    const extent = this.#measured(node);
    if (extent.passes > 1 || extent.starts > LIMITS.ways || extent.places > LIMITS.places)
      throw new TooWide();
    return extent;
  }

  #measured(node: GrammarNode): Extent {
    switch (node.kind) {
      case 'text':
        return {
          places: node.text.length,
          starts: node.text === '' ? 0 : 1,
          passes: node.text === '' ? 1 : 0,
        };
      case 'set':
        return { places: 1, starts: 1, passes: 0 };
      case 'rule':
        return this.rule(node.name);
      case 'choice':
        return node.items
          .map((item) => this.#of(item))
          .reduce(
            (sum, item) => ({
              places: sum.places + item.places,
              starts: sum.starts + item.starts,
              passes: sum.passes + item.passes,
            }),
            { places: 0, starts: 0, passes: 0 },
          );
      case 'sequence':
        return this.#sequence(node.items);
      case 'repeat':
        return this.#repeated(node);
    }
  }

  /** From behind, so that every place inside is looked at as a beginning too. */
  #sequence(items: readonly GrammarNode[]): Extent {
    let places = 0;
    let starts = 0;
    let passes = 1;
    for (const node of [...items].reverse()) {
      const item = this.#of(node);
      places += item.places;
      starts = item.starts + item.passes * starts;
      passes *= item.passes;
      if (starts > LIMITS.ways) throw new TooWide();
    }
    return { places, starts, passes };
  }

  #repeated({ item, min, max }: GrammarNode & { kind: 'repeat' }): Extent {
    const once = this.#of(item);
    // What may be empty and repeats can be passed in endless ways.
    if (once.passes > 0 && max !== 1) throw new TooWide();
    return {
      places: once.places * (max ?? min + 1),
      starts: once.starts,
      passes: once.passes + (min === 0 ? 1 : 0),
    };
  }
}

/** Whether a sound grammar stays small however it is followed: no recursion, no piling up of alternatives. */
export function isNarrow(grammar: string): boolean {
  try {
    new Measure(parseGrammar(grammar)).rule('root');
    return true;
  } catch (error) {
    if (error instanceof TooWide) return false;
    throw error;
  }
}
