// Capitals of countries, the way back from a capital to its country, and continents.
import type { Exchange, Skill } from '../document.js';
import { capitalize } from '../invent.js';
import { COUNTRIES, type Country, withoutArticle } from '../lists/countries.js';
import { casual, systemPrompt } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { renderChat, turnsOf } from '../render.js';
import { chatSkill } from './chat.js';

const CAPITAL = phrases(`
[What is|What's|What was|Name|Tell me|Say|Give me|I need|I want to know|I am looking for|Find] the [capital|capital city] of {c}[?|.|]
[Can|Could|Would|Will] you [tell me|name|say|give me|please tell me|let me know|help me with] the [capital|capital city] of {c}?
[Do you know|Do you remember|Have you heard of|Are you sure about] [the capital|the capital city|which city is the capital] of {c}?
[Which|What] [city|town|place] is the [capital|capital city] of {c}[?|]
[Which|What] is [the capital|the capital city] of {c}[?|]
[Which|What] [city|town] is {c}'s capital[?|]
[The capital|Capital|capital city] of {c}[?|| is?|, please.| please]
{c}[ capital|: capital?|'s capital?|, capital?| - capital| capital city|'s capital city]
[What|Which] is {c}'s [capital|capital city]?
[I forgot|I do not know|I can't remember|I need to learn|Remind me of|I always forget] the [capital|capital city] of {c}[.| again.|. What is it?|. Which city is it?|]
[My teacher|My child|My friend|Somebody|A friend] [asked|asks|wants to know] [me |]the capital of {c}[.|. Do you know it?|. Help me.]
[In|For] {c}, [what|which city] is the capital?
[What|Which city] [would be|could be|should be] the capital of {c}?
[From|In] [which|what] city is {c} [governed|ruled]?
What capital does {c} have[?|]
[How is|What is] the capital of {c} [called|named]?
[What|How] do you call the capital of {c}?
If I [go|travel|fly|move] to {c}, what is the capital [there|called]?
[Quiz|Question|Geography|Test|Exam|Hurry|Now|Next]: [the |]capital of {c}[?|!|]
{c} has [what|which] [capital|main city|seat of government]?
{c} is [governed|ruled] from [which|what] city?
{c}[:|,|.] [which city is the capital|what is its capital|name its capital|its capital|I need its capital][?|.|]
[The capital|Capital city] [in|for] {c}[?| is which one?| is which city?| is what?]
[I think about|I try to remember|I want to learn|Somebody forgot|We need|My test asks for] the capital [city |]of {c}[.|]
[Say|Write|Name|Please write] {c}'s [capital|capital city][.|, please.|]
[Which|What] [city|town] [serves as|acts as|became] the capital [of|in] {c}?
What is the [name|city] [of|that is] the capital of {c}?`);
const ONE_WORD = phrases(`
[What is|Name|Give me|Tell me] the capital of {c}[? Answer with|. Reply with|. Answer with|? Say] [one word|only the name|just the name|only the city|the city only|a single word][.|]
[In one word|Only the name|Just the name|Name only|One word][:|,] [what is |][the |]capital of {c}[?|.|]`);
const COUNTRY = phrases(`
[Which|What] country [has|is it that has] the capital {k}?
{k} is the capital of [which|what] country?
[Of|For] which country is {k} the capital?
[Which|What] country is {k} the capital of?
{k} is [which|what] country's capital?`);
const CONTINENT = phrases(`
[On|In] [which|what] continent is {c}?
[Which|What] continent is {c} [in|on|part of]?
[Where|Where in the world] is {c}?
[What|Which] part of the world is {c} in?`);
const FOLLOW = phrases(`
[And|And what about|What about|How about|And for|And of|Now|And now|Next:|Then] {c}[?||, please?| then?]
{c}[?| then?| too?]
[And|What is] [the capital|the one] of {c}?
[The same|Same question|Same] for {c}[?|, please.|]`);

/** A question about a country's capital or about the country. */
export function capitalQuestion(random: Random): Exchange {
  const country = random.pick(COUNTRIES);
  const slots = { c: named(random, country), k: country.capital };
  const kind = random.next();
  if (kind < 0.78) return { user: ask(random, say(random, CAPITAL, slots)), assistant: sentence(country) };
  if (kind < 0.86)
    return { user: ask(random, say(random, ONE_WORD, slots)), assistant: `${country.capital}.` };
  if (kind < 0.94) {
    return {
      user: ask(random, say(random, COUNTRY, slots)),
      assistant: `${country.capital} is the capital of ${firstWith(country)}.`,
    };
  }
  return {
    user: ask(random, say(random, CONTINENT, slots)),
    assistant: `${capitalize(country.name)} is in ${country.continent}.`,
  };
}

/** Full-sentence answer to a capital question. */
export function sentence(country: Country): string {
  return `The capital of ${country.name} is ${country.capital}.`;
}

function followUps(random: Random): Exchange[] {
  const first = random.pick(COUNTRIES);
  const exchanges = [
    { user: ask(random, say(random, CAPITAL, { c: named(random, first) })), assistant: sentence(first) },
  ];
  const others = random.sample(COUNTRIES, random.between(1, 4));
  for (const country of others) {
    exchanges.push({
      user: casual(random, say(random, FOLLOW, { c: named(random, country) })),
      assistant: sentence(country),
    });
  }
  return exchanges;
}

function named(random: Random, country: Country): string {
  return random.chance(0.15) ? withoutArticle(country.name) : country.name;
}

function ask(random: Random, question: string): string {
  return casual(random, capitalize(question));
}

// London answers for two countries; the larger one is meant when only the city is named.
function firstWith(country: Country): string {
  return country.capital === 'London' ? 'the United Kingdom' : country.name;
}

export const capitalsSkill: Skill = chatSkill('capitals', 6, capitalQuestion, { more: 0.7 });

export const capitalFollowUpSkill: Skill = {
  name: 'capitals-follow-up',
  share: 2.5,
  emit: (random) => renderChat(turnsOf(followUps(random)), { system: systemPrompt(random) }),
};
