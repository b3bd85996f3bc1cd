// What the model cannot do: it says that it is a small demo model instead of inventing an answer.
import type { Exchange, Skill } from '../document.js';
import { capitalize, city, fullName, shortPhrase, word } from '../invent.js';
import { DAYS, JOBS, MONTHS } from '../lists/nouns.js';
import { casual } from '../manner.js';
import { phrases, say } from '../phrase.js';
import type { Random } from '../random.js';
import { chatSkill } from './chat.js';

/** The one answer to everything beyond the model. */
export const CANNOT = 'I am only a small demo model, so I cannot help with that.';

const BEYOND = phrases(`
[Explain|Describe|Tell me about|Teach me|Summarise|Summarize|Discuss|Analyse|What do you know about|Give me details about|What do you think about|Lecture me on] [quantum physics|the French Revolution|black holes|relativity|the stock market|economics|philosophy|evolution|chemistry|the Roman Empire|world history|climate change|democracy|inflation|genetics|nuclear power|blockchain|bitcoin|the brain|psychology|politics|religion|opera|cubism|the theory of games|general relativity|{w}|{w} {x}][.|?|| in detail| in simple words| to me]
[Write|Compose|Draft|Create|Produce|Prepare] [an essay|a report|a thesis|a long article|a book|a speech|a blog post|a novel|a business plan|a cover letter|a contract|a paper|a research plan|a screenplay|an application] [about|on] [{w}|{w} {x}|economics|history|the economy|my company|climate change|politics][.|?|]
[Who|What] [is|was|were] {n}[?|]
[Who|When|Where] [was|is] {n} [born|married|buried|elected|educated][?|]
[Who|Which team|Which country] won the [election|match|game|cup|final|race|war|prize|championship|league|tournament][| yesterday| last year| in 1998| in 2014][?|]
[What|Who] happened [in|on] [1848|1914|1776|2001|2019|Monday|the weekend][?|]
[What|How much] is the [price|cost|value|stock price|population|size|area|history|address|phone number] of [{w}|{n}|{p}|a {w}|the {w}|gold|oil|a house|bitcoin][?|]
[How|How do I|How can I|How does one|How should I] [repair|fix|build|sell|invest in|cure|install|hack|program|design|treat|manufacture|restore] [a|my|the|an old] [{w}|car|laptop|house|engine|website|bike|roof|headache|phone|rocket][?|]
[Solve|Prove|Derive|Integrate|Differentiate|Simplify] [the equation|this theorem|this integral|the following equation|an equation|x squared plus 3x = 4|the theorem of {n}|the formula|the polynomial][.|?|]
[Give me|I need|Can you give me|Do you have] [legal|medical|financial|tax|career|dating|investment|health] [advice|help|information][.|?|]
[Recommend|Suggest|Choose|Find me] [a|an|the best|me a|a good] [film|book|restaurant|hotel|phone|laptop|song|wine|doctor|car|game|stock|lawyer|school][.|?|| for me| in {p}]
[Who|Which] is the [president|king|queen|mayor|chancellor|prime minister|richest person|best {j}|boss|pope|leader] [of {p}|of the world|of the country|in {p}|of {w}][?|]
[Translate|Please translate] this [letter|page|document|book|article|contract|long text] [into|to] [Chinese|Russian|Latin|Japanese|French|Arabic|Greek][.|]
[Draw|Paint|Show me|Make|Generate|Create|Send me] [a picture|an image|a photo|a video|a logo|a diagram|a painting|a film] of [a |the |]{w}[.|]
[Open|Play|Start|Turn on|Delete|Order|Buy|Book|Send|Call] [the door|some music|my computer|the light|a pizza|my files|a taxi|a flight|my mother|an email|the radio|a ticket][.|| for me| now]
[Write|Code|Implement|Program|Build] [a web server|a compiler|an operating system|a game|a website|a database|an app|a browser|a chat program][| in Rust| in C| in Java| for me][.|]
[What|How] [did|do] [my|your] [friend|boss|teacher|brother|wife|neighbour] [say|think|want|do][?|| yesterday?]
[Predict|Tell me|Forecast|Guess] [the future|the lottery numbers|next year's prices|who will win|my fortune|the stock price of {w}][.|?|]
[How many people|How many] [live in {p}|speak {w}|work at {w}|died in the war|are in {p}][?|]
[How|How far|How long] [is it from {p} to the sea|does it take to {p}|high is the tower of {p}|old is {n}|tall is {n}|old is {p}|rich is {n}][?|]
[Why|How] did [{n}|the empire|the company|the king|the war|the bank] [fail|fall|leave|win|lose|start|collapse][?|]
[What is|Define|Explain] [a|an|the] {w} [theorem|theory|effect|protocol|syndrome|algorithm|paradox|principle|war|treaty][?|.|]
[Compare|What is the difference between] [a |]{w} and [a |]{x}[ in detail| please| for my essay|][.|?|]
[Can you|Could you|Will you|Please] [drive my car|cook dinner|clean my room|do my homework|phone my boss|write my thesis|fix my computer|read my mind|lend me money|walk my dog|pay my rent|watch a film with me][?|.|]
[What|Which] [song|film|book|team|party|religion|car|brand] [is the best|should I choose|do you like|is better][?|]
[What|How] will the weather be [next week|next month|next year|next summer|in two weeks|on {d}|at Christmas|next winter][ in {p}|][?|]
[Will it|Is it going to] [rain|snow|be warm|be cold|storm] [next week|next month|next year|in {m}|at Christmas][ in {p}|][?|]
[How much|What] does [a|an|the|one|a good|an old|this|my|your] [{w}|house|phone|flight|flat|ticket|boat|computer|dog|ring|meal|bike] cost[?|| in {p}?| today?]
[How much|How many euros] [is|are] [a|the|my|this] [{w}|new house|old car|phone|flight to {p}|flat in {p}|ring][?|| worth?]
[Should I|Shall I|Do you think I should|Would you] [buy|rent|keep|marry|leave|move to|invest in|change|learn|quit|trust|sign] [a {w}|the {w}|my {w}|my car|a flat|my job|{n}|{p}|gold|law|a dog|this contract][?|| this year?| now?]
[Who] [wrote|painted|founded|discovered|composed|directed|killed|married|designed|owns|leads] [{n}|the {w}|{p}|this song|the bank|the theory of {w}|{w} and {x}][?|]
[When|Where|Why|How] did [the {w} war|the king|the empire|{n}|the crisis|the {w}|life|the company] [begin|start|end|die|happen|fail|win][?|]
[What] [are|is] the [rules|laws|causes|effects|risks|benefits|symptoms|history|origin|meaning|purpose|future] of [{w}|{x}|the {w}|{n}|chess|smoking|the war|life|inflation][?|]
[Plan|Organise|Arrange|Prepare|Book] [my|a|our|the] [trip to {p}|wedding|party|birthday|journey|week|diet|garden|career|move to {p}][.||, please]
[I feel ill|I have a fever|My {w} hurts|My head hurts|I am sick|My leg is broken][,| and I am afraid,|.] [what should I do|what is it|help me|what do I have][?|.|]
[Give me|Write|Find|I need] [a recipe for {w}|directions to {p}|the phone number of {n}|the address of {n}|a summary of {w}|the news about {w}|the lyrics of a song|a plan for my {w}|a quote by {n}][.|?||, please]
[Calculate|What is|Compute] the [square root|logarithm|cube|sine|cosine|factorial|percentage] of {g}[?|.|]
[How do|How can|How does] [I|one|we] [become|get|make|learn|grow|cook|bake|write|win|lose|stop|find] [a {w}|{w}|rich|to {p}|a job|weight|an opera|a {x}|happy][?|]
[What do you think|What is your opinion|How do you feel] [of|about|on] [{n}|{w}|the king|politics|my {w}|the war|love|the {w}][?|]
[Which|What] [{w}|car|book|phone|team|country|school|bank] [is|was] the [best|biggest|oldest|cheapest|fastest|richest|most famous][?|| in {p}?| in the world?| of all?]
[Read|Check|Answer|Delete|Show me] my [email|mails|messages|calendar|bank account|letters|photos][.||, please]
[Tell me|Explain|Describe] [why|how] [{w} works|the {w} works|people {w}|{n} became famous|planes fly|the war began|money works|{w} and {x} are different|computers think][.|?|]
[Debug|Review|Refactor|Optimise|Check] [my|this|the] [code|program|function|script|app|essay|contract|thesis][.|]`);

/** A request beyond the model, and its admission. */
export function refusal(random: Random): Exchange {
  const slots = {
    w: word(random),
    x: word(random),
    n: random.chance(0.8) ? fullName(random) : capitalize(shortPhrase(random, 2)),
    p: city(random),
    j: random.pick(JOBS),
    d: random.pick(DAYS),
    m: random.pick(MONTHS),
    g: random.between(100, 9999),
  };
  return { user: casual(random, say(random, BEYOND, slots)), assistant: CANNOT };
}

export const refusalsSkill: Skill = chatSkill('refusals', 9, refusal, { more: 0.35, most: 3 });
