// Tools that exist only in their document, put together from verbs, nouns and slots: endlessly many, so that reading the
// tool's name and parameters is the only way to call it right.
import { HELD_TOOL_NAMES, HELD_TOOL_WORDS } from '../../heldout.js';
import { anyName, capitalize, city, clockTime, person, plural, withArticle, word } from '../../invent.js';
import { RESULT_KEYS, TOOL_NOUNS, TOOL_VERBS } from '../../lists/tool-words.js';
import { phrases, say } from '../../phrase.js';
import type { Random } from '../../random.js';
import { type Json, type Tool, type ToolParameter, toJson } from '../../render.js';
import { drawSlots, type Slot } from './slots.js';
import type { CaseMaker } from './tool-case.js';

const RESULT_VALUES: readonly (readonly [(random: Random) => string | number, number])[] = [
  [(random) => random.between(0, 999), 5],
  [word, 2],
  [person, 2],
  [city, 1],
  [clockTime, 1],
];

/** A result in JSON or plain text, and the sentence that tells it. */
export function plainResult(random: Random): { result: string; reply: string } {
  const kind = random.next();
  if (kind < 0.25) {
    const status = random.pick(['ok', 'done', 'success', 'completed', 'sent', 'saved', 'created']);
    return {
      result: random.pick([
        status,
        toJson({ status }),
        toJson({ success: true }),
        toJson({ result: status }),
      ]),
      reply: 'Done.',
    };
  }
  const keys = random.sample(RESULT_KEYS, kind < 0.55 ? 1 : random.between(2, 3));
  const fields: Record<string, Json> = {};
  for (const key of keys) fields[key] = random.weighted(RESULT_VALUES)(random);
  if (keys.length === 1 && random.chance(0.3)) {
    const value = Object.values(fields)[0] ?? '';
    return { result: String(value), reply: `The result is ${String(value)}.` };
  }
  const told = Object.entries(fields).map(([key, value]) => `the ${key} is ${String(value)}`);
  return {
    result: toJson(fields),
    reply: `${capitalize(told.length < 3 ? told.join(' and ') : `${told.slice(0, -1).join(', ')} and ${told[told.length - 1] ?? ''}`)}.`,
  };
}

const START = phrases(`
{v} [the|a|my|] {n} {m}[.|]
{v} {n} {m}[.|]
[I want|I would like|I need|We want|I have|Help me] to {v} [a|the|my|an] {n} {m}[.|]
[||||Please |Can you |Could you |I want to |I would like to |I need to |Help me |Hey, |Now |Would you ]{v}[ a| the| my| an|] {n} {m}[.||?]`);
const START_OF = phrases(`
[|||Please |Can you |Could you |I want to |I would like to |I need to |Now ]{v} {n} {m}[.|]`);
// Between the mentions of two arguments.
const JOINS = [
  [' ', 6],
  [' and ', 2],
  [', ', 1],
] as const;

const SPELLED = phrases(`
[Call|Use|Run] {f} with {k}[.|]
{v} {n}: {k}
{v} {n} with {k}[.|]`);

// "Brew 3 cups of tea": the amount stands before the thing.
const AMOUNT = /^(?:for|with|of) (\d+ [a-z]+)$/;

function order(random: Random, verb: string, noun: string, slots: readonly Slot[]): string {
  const mentions = slots.map((slot) => slot.mention);
  const amount = AMOUNT.exec(mentions[0] ?? '')?.[1];
  const before = amount !== undefined && random.chance(0.4);
  const text = say(random, before ? START_OF : START, {
    v: verb,
    n: before ? `${amount} of ${noun}` : noun,
    m: (before ? mentions.slice(1) : mentions)
      .join(random.weighted(JOINS))
      .replaceAll(' ,', ',')
      .replaceAll('and and', 'and'),
  });
  return text
    .replace(/ +([.?]?)$/, '$1')
    .replace(/ {2,}/g, ' ')
    .replace(/\ba ([aeiou])/g, 'an $1')
    .replace(/\ban ([^aeiou])/g, 'a $1');
}

interface Names {
  readonly name: string;
  readonly verb: string;
  readonly noun: string;
}

function spelledOut(random: Random, { name, verb, noun }: Names, slots: readonly Slot[]): string {
  const k = slots.map(({ key, value }) => `${key} ${String(value)}`).join(random.pick([', ', ' and ']));
  return say(random, SPELLED, { f: name, v: verb, n: noun, k });
}

function drawVerb(random: Random): string {
  for (;;) {
    const verb = random.chance(0.45) ? random.pick(TOOL_VERBS) : anyName(random, 0.55);
    if (!HELD_TOOL_WORDS.has(verb)) return verb;
  }
}

/** A tool that exists only in this document. */
export const invented: CaseMaker = (random) => {
  const drawn = drawSlots(random);
  const verb = drawVerb(random);
  const noun = drawNoun(random);
  const slots =
    random.chance(0.12) && drawn.every(({ key }) => key !== noun)
      ? [theThing(random, noun), ...drawn.slice(0, 2)]
      : drawn;
  const name = toolName(random, verb, noun);
  const ask = capitalize(
    random.chance(0.8) ? order(random, verb, noun, slots) : spelledOut(random, { name, verb, noun }, slots),
  );
  const parameters = Object.fromEntries(slots.map((slot) => [slot.key, slot.parameter] as const));
  // A verb's third person is spelled like a noun's plural.
  const described = random.pick([
    `${capitalize(verb)} ${withArticle(noun)}`,
    `${capitalize(verb)} the ${noun}`,
    `${capitalize(plural(verb))} ${withArticle(noun)}`,
  ]);
  const tool: Tool = random.chance(0.85)
    ? {
        name,
        description: described,
        parameters: slots.some((slot) => slot.renamed) ? parameters : optional(random, parameters),
      }
    : { name, parameters };
  return { tool, ask, args: inOrder(tool, slots), ...plainResult(random) };
};

function drawNoun(random: Random): string {
  const noun = random.chance(0.4)
    ? random.pick(TOOL_NOUNS).replace('_', ' ')
    : anyName(random, 0.5).replace('_', ' ');
  return random.chance(0.12) ? `${random.pick(TOOL_NOUNS).replace('_', ' ')} ${noun}` : noun;
}

// The thing itself can be an argument: "open the door Zunia" for a tool with a parameter "door".
function theThing(random: Random, noun: string): Slot {
  const value = random.chance(0.5) ? person(random) : word(random);
  return { key: noun.replaceAll(' ', '_'), parameter: { type: 'string' }, value, mention: value };
}

function toolName(random: Random, verb: string, noun: string): string {
  for (;;) {
    const plain = `${verb}_${noun.replaceAll(' ', '_')}`;
    const name = random.chance(0.15)
      ? plain.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
      : random.chance(0.08)
        ? noun.replaceAll(' ', '_')
        : plain;
    if (!HELD_TOOL_NAMES.includes(name)) return name;
  }
}

// Now and then a parameter that the sentence does not mention: it has to be left out of the call.
function optional(random: Random, parameters: Record<string, ToolParameter>): Record<string, ToolParameter> {
  if (random.chance(0.12)) {
    const shuffled = random.sample(Object.entries(parameters), Object.keys(parameters).length);
    return Object.fromEntries(shuffled);
  }
  if (!random.chance(0.12)) return parameters;
  const extra = random.pick(drawSlots(random, 1));
  if (extra.key in parameters) return parameters;
  return random.chance(0.5)
    ? { ...parameters, [extra.key]: extra.parameter }
    : { [extra.key]: extra.parameter, ...parameters };
}

// Arguments in the order of the tool's parameters, whatever the sentence's order was.
function inOrder(tool: Tool, slots: readonly Slot[]): Record<string, Json> {
  const args: Record<string, Json> = {};
  for (const key of Object.keys(tool.parameters)) {
    const slot = slots.find((candidate) => candidate.key === key);
    if (slot !== undefined) args[key] = slot.value;
  }
  return args;
}
