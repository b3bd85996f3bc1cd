// Pairs of sentences that say nearly the same in other words, for the embeddings. Both of a pair come from one group of
// wordings with the same names and numbers; pairs of different groups, or with other names, are what must lie apart.
import { mentionsHeld } from './heldout.js';
import { isHeldSentence } from './heldout-wording.js';
import { anyName, capitalize, city, givenName, plural, word } from './invent.js';
import { COLOURS, DAYS, FRUITS, HOBBIES, JOBS, MONTHS, VEGETABLES, WEATHERS } from './lists/nouns.js';
import { type Phrase, phrases, say } from './phrase.js';
import { createRandom, type Random } from './random.js';

// One group a line, its wordings between bars that stand alone.
const GROUPS: readonly (readonly Phrase[])[] = `
{n} [works|is employed] in {c}. // {n} has a job in {c}. // In {c}, {n} has work. // {c} is where {n} works.
{n} [comes|is] from {c}. // {n} was born in {c}. // The home town of {n} is {c}. // {c} is the town {n} comes from.
{n} moved to {c}. // {n} went to live in {c}. // Now {n} lives in {c}. // {n} has a [flat|house] in {c} now.
[Will it rain|Is it raining] in {c}? // Does it rain in {c}[| today| now]? // Is there rain in {c}[| today]? // Rain in {c}?
[Tell me|Show me|I need] the [weather|forecast] for {c}. // [Weather|The weather] in {c}, please. // [Check|Get] the weather in {c}. // Is it [warm|cold] in {c}?
[What time is it|What is the time] in {c}? // [Tell me|Give me] the time in {c}. // The clock in {c} says what?
The {w} is [new|quite new]. // This is a new {w}. // That {w} is [brand new|very new]. // We have a new {w}.
The {w} is [broken|damaged]. // Somebody broke the {w}. // The {w} does not work[| any more]. // That {w} is [quite |]broken.
The {w} was [cheap|not expensive]. // That {w} did not cost much. // I paid [little|not much] for the {w}. // The price of the {w} was low.
The {w} is {o}. // It is a {o} {w}. // The colour of the {w} is {o}. // That {w} has a {o} colour.
[Where is|I cannot find] the {w}? // Have you seen the {w}? // I am looking for the {w}. // I lost the {w}.
[Can I|May I] [borrow|use] your {w}? // Please lend me your {w}. // I need your {w} for a while. // Would you give me your {w}[| for a day]?
I [want|would like] to sell [a|my] {w}. // I am selling [a|my] {w}. // My {w} is for sale. // Who wants my {w}?
I need a {w}. // Please get me a {w}. // Could I have a {w}? // A {w} is what I need.
{n} [lost|forgot] the {w}. // The {w} was lost by {n}. // {n} does not have the {w} any more. // {n} cannot find the {w}.
{n} [bought|got] a {w} [in|at] {c}. // In {c} {n} bought a {w}. // The {w} that {n} bought is from {c}.
{n} saw a {w} on the table. // On the table {n} saw a {w}. // There was a {w} on the table, and {n} saw it.
{n} gave {m} a {w}. // {m} got a {w} from {n}. // The {w} is a present from {n} to {m}. // {n} brought a {w} for {m}.
{n} turned {a} [today|this week|yesterday]. // {n} had a birthday and is {a} now. // Now {n} is {a}. // {n} has been {a} for a short time.
How old is {n}? // What is the age of {n}? // Tell me how old {n} is. // Do you know the age of {n}?
{n} has {a} {ws}. // {a} {ws} belong to {n}. // There are {a} {ws} that {n} owns. // {n} owns {a} {ws}.
{n} is {j}. // {n} works as {j}. // The job of {n} is {j}. // By profession, {n} is {j}.
{n} likes to {h}. // In free hours, {n} likes to {h}. // {n} wants to {h} every day. // What {n} loves is to {h}.
{n} likes {f} and {v}. // {v} and {f} are what {n} likes. // {n} eats {f} and {v}[| every day]. // {n} is fond of {v} and {f}.
{n} does not like {f}. // {f} are not what {n} likes. // {n} never eats {f}. // {n} hates {f}.
I [like|love] {f}. // {F} are my favourite fruit. // My favourite fruit are {f}. // I eat {f} every day.
[Compute|Calculate] {a} plus {b}. // {a} + {b} = ? // Add {a} and {b}. // The sum of {a} and {b}, please. // What do {a} and {b} make together?
[Compute|Calculate] {a} minus {b}. // {a} - {b} = ? // Subtract {b} from {a}. // What is left of {a} when I take {b} away? // What is {a} - {b}?
[Compute|Calculate] {a} times {b}. // {a} x {b} = ? // Multiply {a} by {b}. // How much is {a} x {b}? // The product of {a} and {b}?
Is {a} [larger|bigger|more] than {b}? // Which is larger, {a} or {b}? // Compare {a} and {b}. // {a} or {b}: which is more?
[Write|Make up] a story [about|with] a {w}. // A story about a {w}, please. // I want to hear a story about a {w}. // Can you tell a story of a {w}?
[Write|Make up] a story about {n}. // A story about {n}, please. // I would like a story with {n} in it. // Tell a tale of {n}.
[Spell|Spell out] {w}. // The spelling of {w}? // What are the letters of {w}? // Write {w} letter by letter. // {w} is spelled how?
[Write|Put] {w} in capital letters. // Uppercase {w}. // {w} in capitals, please. // Make {w} all capitals.
What is {w} in French? // Translate {w} into French. // How do you say {w} in French? // {w} is called what in French?
What is the opposite of {w}? // Opposite of {w}? // Which word is the opposite of {w}? // Tell me the opposite of {w}.
{n} [flies|goes|drives] to {c} in {t}. // In {t}, {n} will go to {c}. // {n} has a trip to {c} in {t}. // The trip of {n} to {c} is in {t}.
{n} will visit {m} on {d}. // On {d}, {n} comes to see {m}. // {m} gets a visit from {n} on {d}. // {n} is coming to {m} on {d}.
{n} meets {m} in {c}. // In {c}, {n} and {m} meet. // {n} and {m} see each other in {c}. // {m} meets {n} in {c}.
The [bus|plane|ship] to {c} is [full|late|slow]. // The [bus|plane|ship] that goes to {c} [is|was] [full|late|slow]. // There is a problem with the [bus|plane|ship] to {c}.
[When does|What time does] the [train|bus] to {c} leave? // When is there a [train|bus] to {c}? // [Tell me|I want to know] when the [train|bus] to {c} goes.
A ticket to {c}, please. // I [want|need] a ticket to {c}. // I want to go to {c}. // [Book|Buy] me a ticket to {c}.
Is there a [hotel|room] in {c}? // I need a [hotel|room] in {c}. // Find me a [hotel|room] in {c}. // Where can I sleep in {c}?
How far is {c}? // What is the distance to {c}? // How long is the way to {c}? // Is {c} far from here?
The [meeting|lesson|party] is on {d}. // On {d} [there is|we have] a [meeting|lesson|party]. // We meet on {d}. // The date of the [meeting|party] is {d}.
My name is {n}. // I am {n}. // People call me {n}. // {n} is what I am called. // You can call me {n}.
Who is {n}? // Do you know {n}? // What do you know about {n}? // Tell me about {n}. // I want to know who {n} is.
Send {n} [a message|an email]. // Write to {n}. // {n} should get [a message|an email]. // [An email|A message] to {n}, please.
Call {n}. // Please phone {n}. // I want to talk to {n}. // Give {n} a call.
Set a timer for {a} minutes. // Start a timer of {a} minutes. // Remind me in {a} minutes. // Timer: {a} minutes.
It is {k} today. // Today the weather is {k}. // The weather is {k}. // We have {k} weather today.
It will be {k} on {d}. // The weather on {d} will be {k}. // {d} will be a {k} day. // On {d} it will be {k}.
Hello, how are you? // Hi, how is it going? // Good day, how do you do? // Hey, are you well? // Hello! Are you fine?
Thank you very much. // Thanks a lot. // Many thanks. // I thank you. // That was kind, thanks.
Goodbye, see you tomorrow. // Bye, until tomorrow. // See you tomorrow, bye. // Good night, we meet again tomorrow.
What can you do? // What are you able to do? // Tell me what you can do. // How can you help me?
Who are you? // What are you? // Tell me who you are. // What is your name? // Please introduce yourself.
What is the capital of {p}? // The capital of {p}? // Which city is the capital of {p}? // Tell me the capital city of {p}.
{c} is [beautiful|a beautiful city|very nice]. // What a beautiful city {c} is! // I like {c} very much. // {c} is a city that I like.
There are {a} people in the [room|house|bus]. // {a} people are in the [room|house|bus]. // I counted {a} people in the [room|house|bus].
The {w} costs {a} euros. // The price of the {w} is {a} euros. // You pay {a} euros for the {w}. // {a} euros is the price of the {w}.
The {w} is under the {x}. // Under the {x} is the {w}. // You find the {w} under the {x}. // Look under the {x} for the {w}.
The {w} and the {x} are [here|mine|new]. // Both the {w} and the {x} are [here|mine|new]. // The {x} and the {w} are [here|mine|new].
Open the {w}[|, please]. // Please open the {w}. // The {w} should be open. // Could you open the {w}? // I want the {w} to be open.
{n} sings in the garden. // In the garden {n} sings. // {n} is in the garden and sings. // You hear {n} sing in the garden.
{n} and {m} are friends. // {m} is a friend of {n}. // {n} and {m} like each other. // {n} has a friend called {m}.
{n} is the [brother|sister] of {m}. // {m} has a [brother|sister] called {n}. // {n} and {m} are family. // {m} is family of {n}.`
  .trim()
  .split('\n')
  .map((line) => line.split(' // ').flatMap((wording) => phrases(wording)));

function slots(random: Random): Readonly<Record<string, string>> {
  const w = random.chance(0.5) ? word(random) : anyName(random);
  const f = plural(random.pick(FRUITS));
  return {
    n: givenName(random),
    m: givenName(random),
    c: city(random),
    p: city(random),
    w,
    ws: plural(w),
    x: word(random),
    a: String(random.between(2, 99)),
    b: String(random.between(2, 99)),
    d: random.pick(DAYS),
    t: random.pick(MONTHS),
    o: random.pick(COLOURS),
    k: random.pick(WEATHERS),
    j: `a ${random.pick(JOBS)}`,
    h: random.pick(HOBBIES),
    f,
    F: capitalize(f),
    v: plural(random.pick(VEGETABLES)),
  };
}

// Typed in small letters or without the last mark now and then.
function typed(random: Random, text: string): string {
  const marked = random.chance(0.15) ? text.replace(/[.?!]$/, '') : capitalize(text);
  return random.chance(0.06) ? marked.toLowerCase() : marked;
}

/** Pair number `index` of a seed: two different sentences with the same meaning. */
export function drawPair(seed: number, index: number): readonly [one: string, other: string] {
  const random = createRandom(seed * 4294967296 + index);
  for (;;) {
    const filled = slots(random);
    const [one, other] = random
      .sample(random.pick(GROUPS), 2)
      .map((wording) => say(random, [wording], filled));
    if (one === undefined || other === undefined) continue;
    const pair = [typed(random, one), typed(random, other)] as const;
    if (!mentionsHeld(pair.join(' ')) && !pair.some(isHeldSentence)) return pair;
  }
}
