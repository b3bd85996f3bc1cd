// What the evaluation asks about and the corpus must never contain: names, places, words, numbers and tools.
// The generator filters by these sets, and a test reads 20,000 documents to make sure.
import { wordsOf } from './lists/words-of.js';

export const HELD_NAMES =
  wordsOf(`Jason, Matilda, Sebastian, Fiona, Gabriel, Ramona, Desmond, Harriet, Leandro, Beatrix, Tobias,
Yvonne, Malik, Saoirse, Ulrich, Penelope, Marcus, Rafael, Winston, Celeste, Dmitri, Anouk, Bertram, Zelda, Kasimir, Ottilie,
Thaddeus, Noelle, Fabian, Ludmila`);
export const HELD_FAMILY_NAMES = wordsOf('Harrison, Lindqvist, Castellano, Abernathy, Kowalczyk, Fontaine');
export const HELD_CITIES =
  wordsOf(`Bordeaux, Krakow, Philadelphia, Bergen, Salzburg, Kyoto, Perth, Seville, Phoenix, Leipzig,
Nantes, Calgary, Bologna, Manchester, Tampere, Cordoba, Gdansk, Brighton, Malaga, Graz`);
export const HELD_WORDS =
  wordsOf(`lantern, meadow, thunder, biscuit, harbour, pebble, cabin, sunset, cousin, hunter, planet, monster,
blossom, orchard, trumpet, sparrow, walnut, canyon, cradle, mitten, parcel, shelter, goblin, lemonade, puddle,
bonfire, compass, saucepan`);

/** Every held-out word in lower case. */
export const HELD_SET: ReadonlySet<string> = new Set(
  [...HELD_NAMES, ...HELD_FAMILY_NAMES, ...HELD_CITIES, ...HELD_WORDS].map((word) => word.toLowerCase()),
);

/** Tool and parameter names that only the evaluation uses. */
export const HELD_TOOL_NAMES =
  wordsOf(`paint_wall, feed_pet, water_plants, brew_coffee, hire_bicycle, launch_balloon, borrow_umbrella,
tune_piano, schedule_haircut, order_taxi, plan_picnic, measure_rainfall, engrave_medal, rent_scooter, wash_windows,
getTideTable, archive_photo, trimHedge, sew_curtain, knit_scarf`);

/** What those tools do: these verbs are not used for any other tool either. */
export const HELD_TOOL_WORDS: ReadonlySet<string> = new Set(
  HELD_TOOL_NAMES.map((name) => name.split(/_|(?=[A-Z])/)[0] ?? '').filter(
    (verb) => !['get', 'order'].includes(verb),
  ),
);

/** True for the number pairs (one in sixteen) that the corpus leaves to the evaluation. */
export function isHeldPair(operation: string, a: number, b: number): boolean {
  let hash = 2166136261;
  for (const part of [operation.charCodeAt(0), a, b]) {
    hash = Math.imul(hash ^ (part & 255), 16777619);
    hash = Math.imul(hash ^ (part >>> 8), 16777619);
  }
  hash ^= hash >>> 15;
  return (hash >>> 4) % 16 === 0;
}

/** True if any word of the text is held out. */
export function mentionsHeld(text: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some((word) => HELD_SET.has(word));
}
