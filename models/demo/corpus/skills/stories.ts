// Short stories with a beginning, a small trouble and an end; told in a chat or as plain text.
import type { Exchange, Piece, Skill } from '../document.js';
import { target } from '../document.js';
import { capitalize, freeName, givenName, withArticle } from '../invent.js';
import { BOYS, GIRLS } from '../lists/names.js';
import { ANIMALS, COLOURS } from '../lists/nouns.js';
import { PLOTS, STORY_ENDINGS, STORY_HOMES, STORY_OPENINGS, STORY_PLACES } from '../lists/plots.js';
import { casual } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { chatSkill } from './chat.js';

const THINGS = [
  'ball',
  'hat',
  'key',
  'book',
  'map',
  'star',
  'shoe',
  'lamp',
  'ring',
  'kite',
  'bag',
  'drum',
  'box',
  'bell',
  'boat',
  'rope',
] as const;
const HEROES = [...ANIMALS, 'robot', 'boy', 'girl', 'king', 'queen'] as const;
const PRONOUNS: Readonly<Record<string, readonly [he: string, his: string, him: string]>> = {
  boy: ['he', 'his', 'him'],
  king: ['he', 'his', 'him'],
  girl: ['she', 'her', 'her'],
  queen: ['she', 'her', 'her'],
};

interface Wanted {
  readonly hero?: string;
  readonly name?: string;
}

// What suits a hero best. Most stories keep to it: a model that always takes the likeliest word would otherwise
// tell all heroes the one likeliest story.
function fitting<Item>(random: Random, hero: string, what: string, items: readonly Item[]): Item {
  const own = [...`${what} of ${hero}`].reduce(
    (hash, char) => (hash * 31 + char.charCodeAt(0)) % 1_000_003,
    7,
  );
  return random.chance(0.75) ? (items[own % items.length] ?? random.pick(items)) : random.pick(items);
}

/** A story about the hero that is wanted, or about anyone. */
export function tellStory(random: Random, wanted: Wanted = {}): string {
  const a = wanted.hero ?? random.pick(HEROES);
  const n = wanted.name ?? heroName(random, a);
  const b = fitting(
    random,
    a,
    'friend',
    ANIMALS.filter((animal) => animal !== a),
  );
  // Names do not tell whether an animal is a he or a she, so animals are "it".
  const [he, his, him] = PRONOUNS[a] ?? ['it', 'its', 'it'];
  const c = fitting(random, a, 'colour', [...COLOURS, 'big', 'old', 'new', 'shiny', 'tiny']);
  let m = fitting(random, a, "friend's name", [...BOYS, ...GIRLS]);
  while (m === n) m = freeName(random);
  const slots = {
    a,
    b,
    c,
    n,
    m,
    he,
    his,
    him,
    He: capitalize(he),
    His: capitalize(his),
    t: fitting(random, a, 'thing', THINGS),
    place: fitting(random, a, 'place', STORY_PLACES),
    aa: 'a',
    ab: withArticle(b).split(' ')[0] ?? 'a',
    Ab: capitalize(withArticle(b).split(' ')[0] ?? 'a'),
    ac: withArticle(c).split(' ')[0] ?? 'a',
  };
  const opening = say(random, [fitting(random, a, 'opening', STORY_OPENINGS)], slots);
  const sentences = [capitalize(opening)];
  if (!opening.toLowerCase().includes(slots.place) && random.chance(0.5))
    sentences.push(say(random, STORY_HOMES, slots));
  for (const line of fitting(random, a, 'plot', PLOTS)) sentences.push(say(random, [line], slots));
  sentences.push(say(random, [fitting(random, a, 'ending', STORY_ENDINGS)], slots));
  return sentences.join(' ');
}

function heroName(random: Random, hero: string): string {
  if (hero === 'boy' || hero === 'king') return fitting(random, hero, 'name', BOYS);
  return hero === 'girl' || hero === 'queen'
    ? fitting(random, hero, 'name', GIRLS)
    : fitting(random, hero, 'name', [...BOYS, ...GIRLS]);
}

const ANY = phrases(`
[Tell me|Write|Tell|Please tell me|Can you tell me|Make up|I want|I would like|Give me|Could you write] a [short |little |nice |bedtime |small |funny |][story|tale][.|?||, please| for children| for my child]
[A story|Story|A short story|A bedtime story][, please|.|!|]
[Read me|I want to hear] a story[.|]`);
const ABOUT = phrases(`
[Tell me|Write|Tell|Please tell me|Can you tell me|Make up|I want|Give me|Could you write] a [short |little |nice |bedtime |][story|tale] [about|with] {x}[.|?||, please]
[A story|Story|A short story] about {x}[, please|.|]`);
const NAMED = phrases(`
[Tell me|Write|Please tell me|Make up|I want|Give me|Could you write] a [short |little |bedtime |][story|tale] about {x} [named|called] {n}[.|?|]
[Tell me|Write] a [story|tale] about {n} the {a}[.|]`);

/** A request for a story, and the story. */
export function storyRequest(random: Random): Exchange {
  const kind = random.next();
  if (kind < 0.3) return { user: casual(random, say(random, ANY)), assistant: tellStory(random) };
  const hero = random.pick(HEROES);
  if (kind < 0.7)
    return {
      user: casual(random, say(random, ABOUT, { x: withArticle(hero) })),
      assistant: tellStory(random, { hero }),
    };
  const name = givenName(random);
  return {
    user: say(random, NAMED, { x: withArticle(hero), n: name, a: hero }),
    assistant: tellStory(random, { hero, name }),
  };
}

function plainStory(random: Random): readonly Piece[] {
  return [target(`${tellStory(random)}<|endoftext|>`)];
}

export const storiesSkill: Skill = chatSkill('stories', 8, storyRequest, { more: 0.15, most: 2 });
export const plainStorySkill: Skill = { name: 'plain-story', share: 3, emit: plainStory };
