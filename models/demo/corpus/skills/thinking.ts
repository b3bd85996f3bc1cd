// Thinking before the answer, only where the system prompt ends in /think. Thoughts are short: they repeat the task
// and work it out in one line, because a long thought is a long way to go wrong.
import type { Exchange, Piece, Skill } from '../document.js';
import { systemPrompt } from '../manner.js';
import type { Random } from '../random.js';
import { renderCall, renderChat, renderThought, type Turn } from '../render.js';
import { comparison, counting, sumQuestion } from './arithmetic.js';
import { capitalQuestion } from './capitals.js';
import { languageQuestion } from './language.js';
import { refusal } from './refusals.js';
import { smallTalk } from './smalltalk.js';
import { drawCase } from './tools/cases.js';

interface Thought extends Exchange {
  readonly thought: string;
}

function ofSum(random: Random): Thought {
  const exchange = sumQuestion(random);
  return {
    ...exchange,
    thought: random.pick([
      `I have to calculate. ${exchange.assistant}`,
      `This is a sum. ${exchange.assistant}`,
      exchange.assistant,
    ]),
  };
}

function ofKnowledge(random: Random): Thought {
  const exchange = random.pick([capitalQuestion, capitalQuestion, languageQuestion])(random);
  return {
    ...exchange,
    thought: random.pick([
      'The user asks a simple question. I know the answer.',
      `I know this. ${exchange.assistant}`,
    ]),
  };
}

function ofNumbers(random: Random): Thought {
  const exchange = random.pick([counting, comparison])(random);
  return { ...exchange, thought: random.pick(['I look at the numbers.', 'This is about numbers.']) };
}

function ofTalk(random: Random): Thought {
  return {
    ...smallTalk(random),
    thought: random.pick([
      'This is small talk. I answer politely.',
      'The user makes conversation. I answer briefly.',
    ]),
  };
}

function ofRefusal(random: Random): Thought {
  return { ...refusal(random), thought: 'This is beyond a small model. I say so.' };
}

function draw(random: Random): Thought {
  return random.weighted([
    [ofSum, 5],
    [ofKnowledge, 5],
    [ofNumbers, 2],
    [ofTalk, 3],
    [ofRefusal, 1],
  ] as const)(random);
}

function emit(random: Random): readonly Piece[] {
  const turns: Turn[] = [];
  const rounds = random.weighted([
    [1, 4],
    [2, 3],
    [3, 2],
  ] as const);
  for (let i = 0; i < rounds; i += 1) {
    const { user, assistant, thought } = draw(random);
    turns.push({ role: 'user', text: user }, { role: 'assistant', text: renderThought(thought, assistant) });
  }
  return renderChat(turns, { system: systemPrompt(random), thinking: true });
}

function withTool(random: Random): readonly Piece[] {
  const { tool, ask, args, result, reply } = drawCase(random);
  const turns: Turn[] = [
    { role: 'user', text: ask },
    {
      role: 'assistant',
      text: renderThought(`The tool ${tool.name} can do this.`, renderCall(tool.name, args)),
    },
  ];
  if (random.chance(0.5))
    turns.push(
      { role: 'tool', text: result },
      { role: 'assistant', text: renderThought('The tool has answered. I tell the user.', reply) },
    );
  return renderChat(turns, {
    system: systemPrompt(random, 0.15),
    tools: [tool, ...(random.chance(0.4) ? [drawCase(random).tool] : [])].slice(0, 2),
    thinking: true,
  });
}

export const thinkingSkill: Skill = { name: 'thinking', share: 5, emit };
export const thinkingToolSkill: Skill = { name: 'thinking-tool', share: 1, emit: withTool };
