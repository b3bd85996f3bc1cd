// Chats with tools: choosing the right one, filling its arguments, telling the result, and leaving tools alone when
// none fits. Schemas are short on purpose: they are context, and context is the dear part of a small budget.
import type { Piece, Skill } from '../../document.js';
import { city } from '../../invent.js';
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

// Two weather tools or two searches in one list would leave the choice open, so their descriptions must differ too.
function differs(one: Tool, other: Tool): boolean {
  const group = ({ name, description }: Tool): string =>
    /weather|time|user|person|customer|add|sum|plus|minus|subtract|multipl|calc|evaluate|search|find|google|look|mail|message|timer/i
      .exec(`${name} ${description ?? ''}`)?.[0]
      .toLowerCase() ?? name;
  return one.name !== other.name && group(one) !== group(other);
}

function callTurns(random: Random, entry: ToolCase): Turn[] {
  const { ask, args } = random.chance(0.08) ? lowered(entry) : entry;
  const turns: Turn[] = [
    { role: 'user', text: loose(random, ask) },
    { role: 'assistant', text: renderCall(entry.tool.name, args) },
  ];
  if (random.chance(0.45))
    turns.push({ role: 'tool', text: entry.result }, { role: 'assistant', text: entry.reply });
  return turns;
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
  const turns = cases.flatMap((entry) => callTurns(random, entry));
  const lastRole = turns[turns.length - 1]?.role;
  if (lastRole === 'assistant' && random.chance(0.1)) {
    const { user, assistant } = smallTalk(random);
    turns.push({ role: 'user', text: user }, { role: 'assistant', text: assistant });
  }
  return renderChat(turns, { system: systemPrompt(random, 0.2), tools: withDistractors(random, cases) });
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
  const asked = drawCase(random);
  const tools = withDistractors(random, [drawCase(random)]).filter((tool) => differs(tool, asked.tool));
  if (tools.length === 0) return useTools(random);
  const turns: Turn[] = [];
  const rounds = random.between(1, 3);
  for (let i = 0; i < rounds; i += 1) {
    if (random.chance(0.3)) {
      turns.push({ role: 'user', text: loose(random, asked.ask) }, { role: 'assistant', text: NO_TOOL });
      continue;
    }
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
    { role: 'user', text: loose(random, entry.ask) },
    { role: 'assistant', text: renderCall(entry.tool.name, entry.args) },
  ]);
  return renderChat(turns, { tools: distinct.map((entry) => entry.tool) });
}

export const toolsSkill: Skill = {
  name: 'tools',
  share: 9,
  emit: (random) => (random.chance(0.05) ? twoCalls(random) : useTools(random)),
};
export const toolDrillSkill: Skill = { name: 'tool-drill', share: 6, emit: toolDrill };
export const noToolSkill: Skill = { name: 'no-tool', share: 4, emit: withoutTool };
