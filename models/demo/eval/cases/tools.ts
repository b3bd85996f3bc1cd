// Tools the corpus knows with arguments it does not, tools it has never seen, results to be told, and tools that do not fit.
import { HELD_CITIES, HELD_NAMES, HELD_WORDS } from '../../corpus/heldout.js';
import { around, type Case, calls, contains, user } from '../case.js';
import type { Message, Reply } from '../client.js';
import { newUse, type ToolUse, tool } from './new-tools.js';

const WEATHER = tool('get_weather', 'Get the current weather', { city: 'string' });
const ADD = tool('add', 'Add two numbers', { a: 'integer', b: 'integer' });
const PERSON = tool('User', 'A user', { name: 'string', age: 'integer' });
const MAIL = tool('send_email', 'Send an email', { to: 'string', subject: 'string' });
const TIMER = tool('set_timer', 'Set a timer', { minutes: 'integer' });
const SEARCH = tool('search', 'Search the web', { query: 'string' });
const KNOWN = [WEATHER, ADD, PERSON, MAIL, TIMER, SEARCH] as const;

function knownUse(i: number): ToolUse {
  const city = around(HELD_CITIES, i);
  const name = around(HELD_NAMES, i);
  const word = around(HELD_WORDS, i);
  const n = 13 + i * 7;
  return around<ToolUse>(
    [
      {
        tool: WEATHER,
        name: 'get_weather',
        text: around(
          [
            `Tell me how the weather is in ${city}.`,
            `Do you know what the weather in ${city} is like?`,
            `I want to know the weather in ${city}`,
          ],
          i,
        ),
        args: { city },
      },
      {
        tool: ADD,
        name: 'add',
        text: around([`Could you add up ${n} and ${n * 3}?`, `I need the sum of ${n} plus ${n * 3}`], i),
        args: { a: n, b: n * 3 },
      },
      {
        tool: PERSON,
        name: 'User',
        text: around(
          [`Extract ${name} is ${n % 90} years old.`, `There is a user ${name}, who is ${n % 90} years old.`],
          i,
        ),
        args: { name, age: n % 90 },
      },
      {
        tool: MAIL,
        name: 'send_email',
        text: around(
          [
            `Send an email to ${name.toLowerCase()}@example.com about ${word}.`,
            `Could you send an email to ${name.toLowerCase()}@example.com about the ${word}?`,
          ],
          i,
        ),
        args: { to: `${name.toLowerCase()}@example.com`, subject: i % 2 === 0 ? word : `the ${word}` },
      },
      {
        tool: TIMER,
        name: 'set_timer',
        text: around([`Start a timer now for ${n % 90} minutes`, `I need a timer for ${n % 90} minutes.`], i),
        args: { minutes: n % 90 },
      },
      {
        tool: SEARCH,
        name: 'search',
        text: around(
          [
            `Search the internet for ${word} please`,
            `Could you look up ${word} ${around(HELD_WORDS, i + 3)}?`,
          ],
          i,
        ),
        args: { query: i % 2 === 0 ? word : `${word} ${around(HELD_WORDS, i + 3)}` },
      },
    ],
    i,
  );
}

function choosing(): Case[] {
  const known = Array.from({ length: 60 }, (_, i): Case => {
    const use = knownUse(i);
    const others = [around(KNOWN, i + 1), around(KNOWN, i + 2 + (i % 3)), newUse(i).tool]
      .filter((other) => other !== use.tool)
      .slice(0, i % 4);
    return toolCase('tool call, tool seen in training', use, others, i);
  });
  const unseen = Array.from({ length: 60 }, (_, i): Case => {
    const use = newUse(i);
    return toolCase(
      'tool call, tool never seen',
      use,
      [around(KNOWN, i), newUse(i + 7).tool, around(KNOWN, i + 1)].slice(0, i % 4),
      i,
    );
  });
  return [...known, ...unseen];
}

function toolCase(row: string, use: ToolUse, others: readonly unknown[], i: number): Case {
  const tools = i % 2 === 0 ? [use.tool, ...others] : [...others, use.tool];
  return {
    row,
    shown: `[${tools.length} tools] ${use.text}`,
    ask: { kind: 'chat', messages: [user(use.text)], tools },
    isRight: calls(use.name, use.args),
  };
}

function afterCall(text: string, name: string, args: unknown, result: unknown): Message[] {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return [
    user(text),
    { role: 'assistant', content: null, tool_calls: [call] },
    {
      role: 'tool',
      tool_call_id: 'call_1',
      content: typeof result === 'string' ? result : JSON.stringify(result),
    },
  ];
}

function telling(): Case[] {
  return Array.from({ length: 40 }, (_, i): Case => {
    const city = around(HELD_CITIES, i);
    const n = 11 + i;
    const word = around(HELD_WORDS, i);
    const [messages, expected, offered] = around<readonly [Message[], readonly string[], unknown]>(
      [
        [
          afterCall(
            `What is the weather in ${city}?`,
            'get_weather',
            { city },
            { temperature: n, condition: 'sunny' },
          ),
          [city, String(n), 'sunny'],
          WEATHER,
        ],
        [
          afterCall(`What is ${n} + ${n * 2}?`, 'add', { a: n, b: n * 2 }, String(n * 3)),
          [String(n * 3)],
          ADD,
        ],
        [
          afterCall(`Measure the rainfall in ${city}.`, 'measure_rainfall', { town: city }, { level: n }),
          [String(n)],
          newUse(11).tool,
        ],
        [
          afterCall(`Search for ${word}.`, 'search', { query: word }, `${word} ${around(HELD_WORDS, i + 2)}`),
          [word, around(HELD_WORDS, i + 2)],
          SEARCH,
        ],
        [
          afterCall(
            `Order a taxi from ${city} to Rome.`,
            'order_taxi',
            { origin: city, destination: 'Rome' },
            { price: n, time: '7:15' },
          ),
          [String(n), '7:15'],
          newUse(9).tool,
        ],
      ],
      i,
    );
    const isRight = (reply: Reply): boolean => reply.calls.length === 0 && contains(...expected)(reply);
    return {
      row: 'answers in words after a tool result',
      shown: messages.map(({ content }) => content ?? 'call').join(' / '),
      ask: { kind: 'chat', messages, tools: [offered] },
      isRight,
    };
  });
}

function notFitting(): Case[] {
  const asked: readonly (readonly [string, string])[] = [
    ['Hello my dear little friend!', 'hello'],
    ['I wonder what the capital of Italy is.', 'rome'],
    ['Thanks so very much', 'welcome'],
    ['Please say the opposite of tall.', 'short'],
    ['May I ask who you are?', 'demo model'],
    ['What would dog be in French?', 'chien'],
    ['Would you happen to know the capital of Chile?', 'santiago'],
    ['Which month will follow March?', 'april'],
    ['Bye now, see you soon', 'goodbye'],
    ['Name me the opposite of rich, please', 'poor'],
    ['Could you tell me the opposite of wet?', 'dry'],
    ['Quick, the capital of Kenya!', 'nairobi'],
    ['What are your best skills?', 'capitals'],
    ['Which day will follow Friday?', 'saturday'],
    ['Could you say cat in Spanish for me?', 'gato'],
    ['Please state your name', 'demo model'],
    ['Which town is the capital there in Cuba?', 'havana'],
    ['Write me an essay on the history of Rome', 'small demo model'],
    ['Who invented the telephone?', 'small demo model'],
    ['I want the opposite of big', 'small'],
  ];
  const answered = asked.map(
    ([text, expected], i): Case => ({
      row: 'no tool called when none fits',
      shown: text,
      ask: {
        kind: 'chat',
        messages: [user(text)],
        tools: [newUse(i).tool, around([TIMER, MAIL, WEATHER], i)].slice(0, 1 + (i % 2)),
      },
      isRight: (reply) => reply.calls.length === 0 && contains(expected)(reply),
    }),
  );
  const declined = Array.from({ length: 20 }, (_, i): Case => {
    const wanted = newUse(i);
    return {
      row: 'no tool called when none fits',
      shown: `${wanted.text} [other tools]`,
      ask: {
        kind: 'chat',
        messages: [user(wanted.text)],
        tools: [newUse(i + 6).tool, TIMER].slice(0, 1 + (i % 2)),
      },
      isRight: (reply) => reply.calls.length === 0 && reply.text.trim() !== '',
    };
  });
  return [...answered, ...declined];
}

/** All cases of this file. */
export function toolCases(): Case[] {
  return [...choosing(), ...telling(), ...notFitting()];
}
