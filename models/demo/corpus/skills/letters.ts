// Letter work: spelling, upper and lower case, first letters. Each token's letters have to be learned on their own,
// so besides questions there are drills of many words; the tokenizer keeps capitals single on purpose.
import type { Exchange, Piece, Skill } from '../document.js';
import { capitalize, city, givenName, inventWord, shortPhrase } from '../invent.js';
import { PLAIN_WORDS, THINGS } from '../lists/nouns.js';
import { loose, systemPrompt } from '../manner.js';
import { type Phrase, phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { renderChat, turnsOf } from '../render.js';
import { chatSkill } from './chat.js';

const WRAP = '[{w}|"{w}"|\'{w}\'|the word {w}|the word "{w}"]';
const SPELL = phrases(`
[Spell|Please spell|Can you spell|Could you spell|Spell out|I want you to spell|spell] ${WRAP}[.|?||, please]
[How|How do you|How do I|How would you] spell ${WRAP}[?|]
How is ${WRAP} [spelled|spelt|written][?|]
[Tell|Show|Teach] me [how to spell|how to write|the spelling of|how you spell|how one spells|the letters of] ${WRAP}[.|?|]
[Tell me|I wonder|I want to know|Say|Do you know] how ${WRAP} is [spelled|spelt|written][.|?|]
[I do not know|I forgot|I am not sure|I never know|Nobody knows|I can't remember] how [to spell|to write|you spell|one spells] ${WRAP}[.|, help me.|, do you?|. Can you help?|, please help]
[You can|Can you|I hope you can|Help me] spell ${WRAP}[?|.|, can't you?|, right?| for a friend?]
[Spelling|To spell|Writing] ${WRAP} is hard[, help me.|.|, can you do it?]
[I want|I need|Give me] [the spelling|the letters] of ${WRAP}[.|]
[The spelling|Spelling] of ${WRAP}[?|.|, please]
[What are|Give me|List|Tell me] the letters [of|in] ${WRAP}[?|.|]
[Write|Say] ${WRAP} letter by letter[.|]`);
const UPPER = phrases(`
[Uppercase|Upper case|Capitalise all of|Capitalize|Put in capitals|In capitals|In upper case|All caps|Shout][:| this:] {w}
[Write|Put|Turn|Convert|Change|Print|Make] [this|the following|this text][ in| into| to| in] [uppercase|upper case|capitals|capital letters|all caps|big letters]: {w}
[Write|Put|Print|Say|Convert|Turn|Change] ["{w}"|'{w}'|{w}] [in|to|into] [uppercase|upper case|capitals|capital letters|all caps|big letters][.|]
[Make|Please make|Can you make] ["{w}"|'{w}'|{w}] [uppercase|upper case|all capitals|all upper case][.|]
[Please|Can you|Now] [uppercase|capitalise|shout] [this: |]{w}
[Please|Can you|Could you] [write|put] ["{w}"|{w}] in [uppercase|upper case|capitals|capital letters][.|?|]`);
const LOWER = phrases(`
[Lowercase|Lower case|In lower case|In small letters][:| this:] {w}
[Write|Put|Turn|Convert|Change|Print|Make] [this|the following|this text] [in|into|to] [lowercase|lower case|small letters]: {w}
[Write|Put|Print|Say|Convert|Turn] ["{w}"|{w}] [in|to|into] [lowercase|lower case|small letters][.|]`);
const FIRST = phrases(`
[What|Which] is the first letter of ${WRAP}[?|]
[Which|What] letter does ${WRAP} [start|begin] with[?|]`);
const LAST = phrases(`
[What|Which] is the last letter of ${WRAP}[?|]
[Which|What] letter does ${WRAP} end with[?|]`);

/** A word spelled with hyphens. */
export function spelled(word: string): string {
  return [...word].join('-');
}

function spellable(random: Random): string {
  const kind = random.next();
  if (kind < 0.2) return random.chance(0.7) ? random.pick(PLAIN_WORDS) : random.pick(THINGS);
  if (kind < 0.45) return givenName(random).toLowerCase();
  return inventWord(random, 1, 3);
}

function letterQuestion(random: Random): Exchange {
  const kind = random.next();
  const w = spellable(random);
  if (kind < 0.46) return { user: loose(random, say(random, SPELL, { w })), assistant: `${spelled(w)}` };
  if (kind < 0.84) {
    const text = random.chance(0.5) ? shortPhrase(random, 3) : random.chance(0.5) ? w : anyText(random);
    return { user: say(random, UPPER, { w: text }), assistant: text.toUpperCase() };
  }
  if (kind < 0.92) {
    const text = random.chance(0.6) ? shortPhrase(random, 2) : w;
    return { user: say(random, LOWER, { w: text.toUpperCase() }), assistant: text };
  }
  const [wordings, letter] = kind < 0.96 ? ([FIRST, w[0]] as const) : ([LAST, w[w.length - 1]] as const);
  return {
    user: loose(random, say(random, wordings, { w })),
    assistant: `${wordings === FIRST ? 'The first' : 'The last'} letter is ${letter ?? ''}.`,
  };
}

const TEXTS: readonly Phrase[] = phrases(`
the {c} {w}
my name is {n}
{n} lives in {p}
[hello|good morning|thank you] {n}
I like {w}
this is a {w}
{n} and {m}
{n} [sees|has|finds|likes|wants|needs] a {w}
the {w} is here
please {w} the {c}`);

function anyText(random: Random): string {
  return say(random, TEXTS, {
    c: inventWord(random, 1, 2),
    w: spellable(random),
    n: givenName(random),
    m: givenName(random),
    p: city(random),
  });
}

const SPELL_ALL = phrases('Spell [these|these words|each word|all of these][:|]');
const UPPER_ALL = phrases(
  '[Uppercase|Put in capitals|Write in capitals] [these|these words|each word|all of these][:|]',
);

function drill(random: Random): readonly Piece[] {
  const words = Array.from({ length: random.between(6, 12) }, () => spellable(random));
  const upper = random.chance(0.4);
  const shown = words.map((word) => (random.chance(0.15) ? capitalize(word) : word));
  const lines = shown.map((word) => (upper ? word.toUpperCase() : `${word}: ${spelled(word)}`));
  const user = `${say(random, upper ? UPPER_ALL : SPELL_ALL)}\n${shown.join('\n')}`;
  return renderChat(turnsOf([{ user, assistant: lines.join('\n') }]), { system: systemPrompt(random, 0.1) });
}

export const lettersSkill: Skill = chatSkill('letters', 13, letterQuestion, { more: 0.7, most: 5 });
export const letterDrillSkill: Skill = { name: 'letter-drill', share: 3, emit: drill };
