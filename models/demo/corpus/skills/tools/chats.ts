// Chats with tools: choosing the right one, filling its arguments, telling the result, and leaving tools alone when
// none fits. Schemas are short on purpose: they are context, and context is the dear part of a small budget.
import type { Piece, Skill } from '../../document.js';
import { city } from '../../invent.js';
import { TOOL_VERBS } from '../../lists/tool-words.js';
import { loose, systemPrompt } from '../../manner.js';
import { phrases, say } from '../../phrase.js';
import type { Random } from '../../random.js';
import { type Json, renderCall, renderChat, type Tool, type Turn } from '../../render.js';
import { sumQuestion } from '../arithmetic.js';
import { capitalQuestion } from '../capitals.js';
import { languageQuestion } from '../language.js';
import { refusal } from '../refusals.js';
import { smallTalk } from '../smalltalk.js';
import { drawCase } from './cases.js';
import type { ToolCase } from './tool-case.js';

/** What the model says when it is asked to act and no tool can. */
export const NO_TOOL = 'None of my tools can do that.';

// Subjects of the common tools: a question on one of them next to such a tool is not a clear case of "no tool fits".
const SUBJECTS =
  /weather|time|date|day|cold|warm|rain|snow|news|where|search|translat|add|sum|plus|minus|hello|email|user|person/i;

function withDistractors(random: Random, cases: readonly ToolCase[]): Tool[] {
  const tools = cases.map((entry) => entry.tool);
  const extra = random.weighted([
    [0, 4],
    [1, 4],
    [2, 3],
    [3, 1],
  ] as const);
  for (let i = 0; i < extra; i += 1) {
    const other = drawCase(random).tool;
    if (tools.every((tool) => differs(tool, other))) tools.push(other);
  }
  return random.sample(tools, tools.length);
}

// Tools that could answer the same request. Two of a kind in one list would leave the choice open.
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['weather', /weather|forecast/i],
  ['mail', /mail|message/i],
  ['timer', /timer/i],
  ['clock', /time|clock/i],
  ['web', /search the web|^search|^find Find|^find Search|^lookup|^google|web_search/i],
  ['people', /user|person|customer/i],
  ['sums', /add|sum|plus|minus|subtract|multipl|calc|evaluate|^times|^product/i],
];

function kindOf({ name, description }: Tool): string {
  const text = `${name} ${description ?? ''}`;
  return KINDS.find(([, words]) => words.test(text))?.[0] ?? name;
}

function differs(one: Tool, other: Tool): boolean {
  return one.name !== other.name && kindOf(one) !== kindOf(other);
}

function callTurns(random: Random, entry: ToolCase): Turn[] {
  const { ask, args } = random.chance(0.08) ? lowered(entry) : entry;
  const turns: Turn[] = [
    { role: 'user', text: request(random, ask) },
    { role: 'assistant', text: renderCall(entry.tool.name, args) },
  ];
  if (random.chance(0.45)) turns.push(...resultTurns(random, entry));
  return turns;
}

function resultTurns(random: Random, entry: ToolCase): Turn[] {
  return [
    { role: 'tool', text: random.chance(0.5) ? compact(entry.result) : entry.result },
    { role: 'assistant', text: entry.reply },
  ];
}

// JSON as JavaScript's programs write it: without spaces. Any other text stays as it is.
function compact(text: string): string {
  return /^[{[]/.test(text) ? JSON.stringify(JSON.parse(text)) : text;
}

const LEADS = ['Could you', 'Can you', 'Would you', 'I want you to', 'Please', 'Now'] as const;
const ORDERS = new Set([...TOOL_VERBS, 'look', 'search', 'tell', 'give', 'write', 'set', 'calculate']);

// An order may also be asked politely; the arguments stay as they are.
function request(random: Random, ask: string): string {
  const first = ask.split(' ')[0] ?? '';
  if (!ORDERS.has(first.toLowerCase()) || !random.chance(0.3)) return loose(random, ask);
  const lead = random.pick(LEADS);
  const order = `${lead} ${first.toLowerCase()}${ask.slice(first.length)}`;
  return loose(random, /^[CW]ould|^Can/.test(lead) ? order.replace(/[.?]?$/, '?') : order);
}

/** Practice in telling results alone: the call is read, the answer is learned. */
function tellResult(random: Random): readonly Piece[] {
  const entry = drawCase(random);
  const call = renderCall(entry.tool.name, entry.args);
  const turns: Turn[] = [
    { role: 'user', text: request(random, entry.ask) },
    { role: 'assistant', text: random.chance(0.5) ? compactCall(entry) : call, given: true },
    ...resultTurns(random, entry),
  ];
  const more = random.chance(0.3)
    ? [drawCase(random).tool].filter((other) => differs(entry.tool, other))
    : [];
  return renderChat(turns, { tools: [entry.tool, ...more] });
}

// Some servers hand the arguments to the template as the client's own text.
function compactCall({ tool, args }: ToolCase): string {
  return `<tool_call>\n{"name": "${tool.name}", "arguments": ${JSON.stringify(args)}}\n</tool_call>`;
}

// All in lower case, arguments too: they are copied as typed.
function lowered(entry: ToolCase): Pick<ToolCase, 'ask' | 'args'> {
  const args: Record<string, Json> = {};
  for (const [key, value] of Object.entries(entry.args))
    args[key] = typeof value === 'string' ? value.toLowerCase() : value;
  return { ask: entry.ask.toLowerCase(), args };
}

function useTools(random: Random): readonly Piece[] {
  const first = drawCase(random);
  const cases = [first];
  if (random.chance(0.3)) {
    const second = drawCase(random);
    if (differs(first.tool, second.tool)) cases.push(second);
  }
  const tools = withDistractors(random, cases);
  const turns = cases.flatMap((entry) => callTurns(random, entry));
  if (random.chance(0.25)) {
    const declined = notFitting(random, tools);
    if (random.chance(0.5)) turns.push(...declined);
    else turns.unshift(...declined);
  }
  const lastRole = turns[turns.length - 1]?.role;
  if (lastRole === 'assistant' && random.chance(0.1)) {
    const { user, assistant } = smallTalk(random);
    turns.push({ role: 'user', text: user }, { role: 'assistant', text: assistant });
  }
  return renderChat(turns, { system: systemPrompt(random, 0.2), tools });
}

// A request for a tool that is not in the list, next to requests for those that are: only the list tells them apart.
function notFitting(random: Random, tools: readonly Tool[]): Turn[] {
  const asked = drawCase(random);
  if (!tools.every((tool) => differs(tool, asked.tool))) return [];
  return [
    { role: 'user', text: request(random, asked.ask) },
    { role: 'assistant', text: NO_TOOL },
  ];
}

const BOTH = phrases(`
[What is|Tell me|Check|Get] the weather in {a} and [in |]{b}[.|?|]
[Weather|The weather] in {a} and {b}[?|]`);

function twoCalls(random: Random): readonly Piece[] {
  const key = random.pick(['city', 'location', 'place']);
  const name = random.pick(['get_weather', 'weather', 'get_current_weather']);
  const tool: Tool = { name, description: 'Get the weather', parameters: { [key]: { type: 'string' } } };
  const [a, b] = [city(random), city(random)];
  const text = `${renderCall(name, { [key]: a })}\n${renderCall(name, { [key]: b })}`;
  const turns: Turn[] = [
    { role: 'user', text: say(random, BOTH, { a, b }) },
    { role: 'assistant', text },
  ];
  return renderChat(turns, { tools: [tool] });
}

function withoutTool(random: Random): readonly Piece[] {
  const tools = withDistractors(random, [drawCase(random)]);
  const turns: Turn[] = [];
  const rounds = random.between(1, 3);
  for (let i = 0; i < rounds; i += 1) {
    const declined = random.chance(0.55) ? notFitting(random, tools) : [];
    turns.push(...declined);
    if (declined.length > 0) continue;
    const subject = tools.map((tool) => `${tool.name} ${tool.description ?? ''}`).join(' ');
    const maker = random.weighted([
      [smallTalk, 4],
      [capitalQuestion, 3],
      [languageQuestion, 3],
      [refusal, 1],
      [
        sumQuestion,
        /add|sum|plus|minus|subtract|multipl|times|product|calc|evaluate|difference/.test(subject) ? 0 : 2,
      ],
    ] as const);
    let exchange = maker(random);
    while (
      maker !== sumQuestion &&
      maker !== refusal &&
      SUBJECTS.test(exchange.user) &&
      SUBJECTS.test(subject)
    )
      exchange = capitalQuestion(random);
    turns.push({ role: 'user', text: exchange.user }, { role: 'assistant', text: exchange.assistant });
  }
  return renderChat(turns, { system: systemPrompt(random, 0.15), tools });
}

/** Dense practice: one tool list, several requests in a row. */
function toolDrill(random: Random): readonly Piece[] {
  const cases = Array.from({ length: random.between(2, 4) }, () => drawCase(random));
  const distinct = cases.filter((entry, i) =>
    cases.slice(0, i).every((other) => differs(other.tool, entry.tool)),
  );
  const turns = random.sample(distinct, distinct.length).flatMap((entry): Turn[] => [
    { role: 'user', text: request(random, entry.ask) },
    { role: 'assistant', text: renderCall(entry.tool.name, entry.args) },
  ]);
  const tools = distinct.map((entry) => entry.tool);
  if (random.chance(0.45)) turns.push(...notFitting(random, tools));
  return renderChat(turns, { tools });
}

export const toolsSkill: Skill = {
  name: 'tools',
  share: 13,
  emit: (random) => (random.chance(0.03) ? twoCalls(random) : useTools(random)),
};
export const toolDrillSkill: Skill = { name: 'tool-drill', share: 13, emit: toolDrill };
export const noToolSkill: Skill = { name: 'no-tool', share: 10, emit: withoutTool };
export const tellResultSkill: Skill = { name: 'tell-result', share: 4, emit: tellResult };
