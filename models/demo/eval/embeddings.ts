// Embeddings: of two sentences, the one that says nearly the same must be closer than the one that does not.
import { HELD_CITIES, HELD_NAMES, HELD_WORDS } from '../corpus/heldout.js';
import { HELD_SENTENCES } from '../corpus/heldout-phrasings.js';
import { createRandom } from '../corpus/random.js';
import { embed } from './client.js';

/** An anchor, its near-duplicate, and an unrelated sentence. */
export type Triple = readonly [anchor: string, near: string, far: string];

/** The triples, always the same. */
export function triples(count = 200): Triple[] {
  const random = createRandom(41);
  return Array.from({ length: count }, () => {
    const [one, two] = random.sample(HELD_SENTENCES, 2) as [
      readonly [string, string],
      readonly [string, string],
    ];
    const slots = draw(random);
    return [write(one[0], slots), write(one[1], slots), write(two[0], draw(random))] as const;
  });
}

/** How many triples are in the right order. */
export async function countRight(url: string, model: string, cases: readonly Triple[]): Promise<number> {
  let right = 0;
  for (const triple of cases) {
    const [anchor, near, far] = await embed(url, model, triple);
    if (
      anchor !== undefined &&
      near !== undefined &&
      far !== undefined &&
      cosine(anchor, near) > cosine(anchor, far)
    )
      right += 1;
  }
  return right;
}

type Slots = Readonly<Record<string, string>>;

function draw(random: ReturnType<typeof createRandom>): Slots {
  return {
    n: random.pick(HELD_NAMES),
    c: random.pick(HELD_CITIES),
    w: random.pick(HELD_WORDS),
    a: String(random.between(10, 99)),
    b: String(random.between(10, 99)),
  };
}

function write(form: string, slots: Slots): string {
  return form.replace(/\{(\w)\}/g, (whole, slot: string) => slots[slot] ?? whole);
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other));
}
