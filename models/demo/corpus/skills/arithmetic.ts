// Sums, differences, the table of products, comparing, counting, even and odd: asked in words and as drills.
// One number pair in sixteen is left to the evaluation (see heldout.ts); the table of products is taught whole.
import type { Exchange, Piece, Skill } from '../document.js';
import { context, target } from '../document.js';
import { isHeldPair } from '../heldout.js';
import { capitalize } from '../invent.js';
import { NUMBER_WORDS } from '../lists/nouns.js';
import { casual, systemPrompt } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { renderChat, turnsOf } from '../render.js';
import { chatSkill } from './chat.js';

/** A sum as it is asked and answered. */
export interface Sum {
  readonly operation: '+' | '-' | 'x';
  readonly a: number;
  readonly b: number;
}

const LEAD =
  "[What is|What's|How much is|Calculate|Compute|Work out|Tell me|Solve|Give me|What does|Find|Say|Please calculate|Can you calculate|Can you compute|Can you work out|I need|I want to know|I must know|Help me with|I wonder what is|How many is|Quick:|What would be|Do you know|Tell us|The result of|The answer of|Answer me:]";
const ADD = phrases(`
${LEAD} {a} [+|plus] {b}[?|.||=| =|?]
{a} [+|plus] {b}[?||=| =| = ?| is?| equals?| equals what?| makes?]
{a}+{b}[?||=]
[Add|Please add|Can you add|Sum up|Can you sum|Would you add|Add up] {a} [and|plus] {b}[.||?| for me| please| now]
[What is|Tell me|Give me|Find|I need] the sum of {a} and {b}[?|.|]
[What|How much] do I get [if|when] I add {a} and {b}?
[Sum|Total] of {a} and {b}[?|]
I have {a} [apples|coins|books|eggs|euros] and get {b} more. How many [are that|do I have|do I have now][?|]
[What number|Which number|What] is {b} more than {a}?
[How much|What] [are|makes] {a} and {b} [together|in total][?|]
[What|How much] do [you|we] [have|get] [with|from] {a} [plus|+] {b}[?|]
[If you put|Put] {a} and {b} together[, what do you get?|.| what is the result?]`);
const SUBTRACT = phrases(`
${LEAD} {a} [-|minus|- |minus] {b}[?|.||=| =|?]
{a} [-|minus] {b}[?||=| =| = ?| is?| equals?| equals what?| leaves?]
{a}-{b}[?||=]
[Subtract|Can you subtract|Could you subtract|Take|Remove|Deduct|Please take|Would you subtract] {b} from {a}[.||?| for me| please| now]
[Take away|Take] {b} from {a}[.||, what is left?]
[What is|Tell me|Give me|Find|I need] the difference [between|of] {a} and {b}[?|.|]
[What|How much] is left [if|when] I take {b} from {a}?
I have {a} [apples|coins|books|eggs|euros] and [give away|lose|eat|sell] {b}. How many [are left|do I have|remain][?|]
[What number|Which number|What] is {b} less than {a}?
{a} [take away|less|without|reduced by] {b}[?|]
[Can you|Please|Would you|Will you] take {b} [off|away from|from] {a}[?|.| for me|]
[What|How much] do [you|we] [have|get] [for|with|from] {a} [minus|-] {b}[?|]`);
const MULTIPLY = phrases(`
${LEAD} {a} [x|times|*|multiplied by|×] {b}[?|.||=| =|?]
{a} [x|times|*|×] {b}[?||=| =| = ?| is?| equals?| makes?]
{a}[x|*|×]{b}[?||=]
[Multiply|Please multiply|Can you multiply] {a} [by|with|and|times] {b}[.||?]
[What is|Tell me|Give me|Find] the product of {a} and {b}[?|.|]
[There are|I have] {a} [boxes|bags|rows] with {b} [apples|coins|chairs|eggs] each. How many [in total|are there|together][?|]
[How much|What] [are|is|makes] {a} times {b}[?|]`);

/** The result of a sum. */
export function resultOf({ operation, a, b }: Sum): number {
  if (operation === '+') return a + b;
  return operation === '-' ? a - b : a * b;
}

/** The sum and its result, as the model writes it. */
export function written(sum: Sum): string {
  return `${sum.a} ${sum.operation} ${sum.b} = ${resultOf(sum)}`;
}

/** A sum that is not left to the evaluation. */
export function drawSum(random: Random): Sum {
  const operation = random.weighted<Sum['operation']>([
    ['+', 5],
    ['-', 7],
    ['x', 2],
  ]);
  for (;;) {
    if (operation === 'x') return { operation, a: random.between(1, 12), b: random.between(1, 12) };
    const most = random.chance(0.15) ? 20 : 99;
    const x = random.between(0, most);
    const y = random.between(0, most);
    const [a, b] = operation === '-' ? difference(random, x, y) : [x, y];
    if (!isHeldPair(operation, a, b)) return { operation, a, b };
  }
}

// Equal and near numbers are where differences go wrong, so they come up more often than chance has them.
function difference(random: Random, x: number, y: number): readonly [number, number] {
  if (random.chance(0.06)) return [x, x];
  if (random.chance(0.1)) return [x, Math.max(0, x - random.between(1, 9))];
  return x < y ? [y, x] : [x, y];
}

/** A sum in words or signs, with its answer. */
export function sumQuestion(random: Random): Exchange {
  const sum = drawSum(random);
  const wordings = { '+': ADD, '-': SUBTRACT, x: MULTIPLY }[sum.operation];
  return {
    user: casual(random, say(random, wordings, { a: sum.a, b: sum.b })),
    assistant: `${written(sum)}.`,
  };
}

const LARGER = phrases(`
[Which|What] [is|number is|one is|of these is|of the two is] [larger|bigger|greater|more|higher|the larger|the bigger|the greater|the larger number|the bigger number][, |: |? ]{a} or {b}[?|]
[Is {a} or {b}|{a} or {b}: which is|{a} or {b}, which is] [larger|bigger|greater|more][?|]
[Tell me|Say|Pick|Choose|Give me] the [larger|bigger|greater] [one|number][:| of| from] {a} [and|or] {b}[.|]
Compare {a} and {b}[.||: which is larger?|: which is bigger?]
[Which|What] [one |number |][of|out of] {a} and {b} is [larger|bigger|greater][?|]
[Between|With|From] {a} and {b}[,| :] [which|what|which one] is [the |][larger|bigger|greater][ one| number|][?|]
[Find|Show me|Write|Say] the [larger|bigger|greater] [number|one|of the two][:|,] {a} or {b}[.|?|]
[{a} or {b}|{a} and {b}]: the [larger|bigger|greater] [one|number][?|.|]
[Is|What is] the [larger|bigger] [one|number] {a} or {b}[?|]`);
const SMALLER = phrases(`
[Which|What] [is|number is|one is|of these is|of the two is] [smaller|less|lower|the smaller|the lower|the smaller number][, |: |? ]{a} or {b}[?|]
[Is {a} or {b}|{a} or {b}: which is|{a} or {b}, which is] [smaller|less][?|]
[Tell me|Say|Pick|Choose|Give me] the [smaller|lower] [one|number][:| of| from] {a} [and|or] {b}[.|]
[Which|What] [one |number |][of|out of] {a} and {b} is [smaller|lower|less][?|]
[Between|With|From] {a} and {b}[,| :] [which|what|which one] is [the |][smaller|lower][ one| number|][?|]
[Find|Show me|Write|Say] the [smaller|lower] [number|one|of the two][:|,] {a} or {b}[.|?|]
[{a} or {b}|{a} and {b}]: the [smaller|lower] [one|number][?|.|]
[Is|What is] the [smaller|lower] [one|number] {a} or {b}[?|]`);
const IS_LARGER = phrases(`
Is {a} [larger|bigger|greater|more] than {b}[?|]`);

/** Two different numbers compared. */
export function comparison(random: Random): Exchange {
  let a = 0;
  let b = 0;
  while (a === b || isHeldPair('>', a, b)) {
    a = random.between(0, 99);
    b = random.chance(0.3) ? Math.max(0, Math.min(99, a + random.between(-9, 9))) : random.between(0, 99);
  }
  const [high, low] = a > b ? [a, b] : [b, a];
  const kind = random.next();
  if (kind < 0.55)
    return {
      user: casual(random, say(random, LARGER, { a, b })),
      assistant: `${high} is larger than ${low}.`,
    };
  if (kind < 0.8)
    return {
      user: casual(random, say(random, SMALLER, { a, b })),
      assistant: `${low} is smaller than ${high}.`,
    };
  const answer = a > b ? `Yes, ${a} is larger than ${b}.` : `No, ${a} is smaller than ${b}.`;
  return { user: casual(random, say(random, IS_LARGER, { a, b })), assistant: answer };
}

const PARITY = phrases(`
Is {n} [even or odd|odd or even|an even or an odd number|an even number or an odd one][?|]
[Is {n} even?|Is {n} odd?|Is the number {n} even or odd?|Is {n} an even number?|Is {n} an odd number?]
[Even or odd|Odd or even][:|,|?] {n}[?|]
[Say|Tell me|I wonder|Do you know] [whether|if] {n} is [odd or even|an even number|odd|even][.|?|]
[What|Which] is {n}[:|,] [even or odd|odd or even][?|]
{n}[:|,] [even or odd|odd or even][?|]`);
const COUNT = phrases(`
[Count|Please count|Can you count|Count up|I want you to count] from {a} to {b}[.||, please.]
[List|Write|Say|Give me|Name] [the numbers|all numbers|every number] from {a} to {b}[.|]
[Counting|Numbers] from {a} to {b}[:|.||, please]
[Start|Begin] [at|with] {a} and count [up |]to {b}[.|]
[Count|Can you count|Would you count|Count on] [for us |for me |upwards |]from {a} [to|until|up to] {b}[.|?|, please]
[Write|List|Print] [down |]the numbers from {a} [to|until|through] {b}[.|]`);
const COUNT_ONE = phrases(`
[Count|Please count|Can you count|Count up] to {b}[.||, please.]`);
const COUNT_DOWN = phrases(`
[Count down|Count backwards|Count back|Please count down|Can you count down] from {a} to {b}[.|]
[Countdown|A countdown] from {a} to {b}[.|, please]`);
const NEXT = phrases(`
[What|Which] [number |]comes [right |]after {n}[?|]
[What|Which] is the [next number|number] after {n}[?|]`);
const PREVIOUS = phrases(`
[What|Which] [number |]comes [right |]before {n}[?|]
[What|Which] is the number before {n}[?|]`);

/** Counting up or down, neighbours, even and odd. */
export function counting(random: Random): Exchange {
  const kind = random.next();
  if (kind < 0.3) {
    let n = random.between(0, 99);
    while (isHeldPair('e', n, 0)) n = random.between(0, 99);
    return {
      user: casual(random, say(random, PARITY, { n })),
      assistant: `${n} is ${n % 2 === 0 ? 'even' : 'odd'}.`,
    };
  }
  if (kind < 0.42) {
    const b = random.between(3, 20);
    return { user: casual(random, say(random, COUNT_ONE, { b })), assistant: `${range(1, b).join(', ')}.` };
  }
  if (kind < 0.72) {
    let a = random.between(0, 89);
    let b = a + random.between(2, 10);
    while (isHeldPair('c', a, b)) [a, b] = [a + 1, b + 1];
    return { user: casual(random, say(random, COUNT, { a, b })), assistant: `${range(a, b).join(', ')}.` };
  }
  if (kind < 0.82) {
    const b = random.between(0, 30);
    const a = b + random.between(2, 10);
    return {
      user: casual(random, say(random, COUNT_DOWN, { a, b })),
      assistant: `${range(b, a).reverse().join(', ')}.`,
    };
  }
  const n = random.between(1, 98);
  return random.chance(0.5)
    ? { user: casual(random, say(random, NEXT, { n })), assistant: `${n + 1} comes after ${n}.` }
    : { user: casual(random, say(random, PREVIOUS, { n })), assistant: `${n - 1} comes before ${n}.` };
}

function range(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}

const IN_WORDS = phrases(`
[What is|How much is|] {a} [plus|and] {b}[?|]
[Add|] {a} [and|plus] {b}[.|?|]`);

function sumInWords(random: Random): Exchange {
  const a = random.between(0, 10);
  const b = random.between(0, 10);
  const words = [NUMBER_WORDS[a] ?? '', NUMBER_WORDS[b] ?? '', NUMBER_WORDS[a + b] ?? ''] as const;
  const asked = capitalize(say(random, IN_WORDS, { a: words[0], b: words[1] }).trim());
  return {
    user: casual(random, asked),
    assistant: `${capitalize(words[0])} plus ${words[1]} is ${words[2]}.`,
  };
}

/** Any question of this file. */
export function numberQuestion(random: Random): Exchange {
  return random.weighted([
    [sumQuestion, 12],
    [comparison, 6],
    [counting, 5],
    [sumInWords, 0.4],
  ] as const)(random);
}

const DRILL = phrases(`
[Compute|Calculate|Solve|Work out][ these| all of these|][:|]
[What are|Give me] the results[:|?]`);

function drill(random: Random): readonly Piece[] {
  const sums = Array.from({ length: random.between(8, 14) }, () => drawSum(random));
  if (random.chance(0.75)) {
    return sums.flatMap((sum) => {
      const [asked = '', result = ''] = written(sum).split(' =');
      return [context(`${asked} =`), target(`${result}\n`)];
    });
  }
  const lines = sums.map((sum) => `${sum.a} ${sum.operation} ${sum.b}`).join('\n');
  const exchange = { user: `${say(random, DRILL)}\n${lines}`, assistant: sums.map(written).join('\n') };
  return renderChat(turnsOf([exchange]), { system: systemPrompt(random, 0.1) });
}

export const arithmeticSkill: Skill = chatSkill('arithmetic', 13, numberQuestion, { more: 0.75, most: 6 });
export const drillSkill: Skill = { name: 'drill', share: 10, emit: drill };
