// The common tools, written out: weather, time, people, sums, search, mail, timers and some without arguments.
import { city, clockTime, email, person, shortPhrase, word } from '../../invent.js';
import { WEATHERS } from '../../lists/nouns.js';
import { phrases, say } from '../../phrase.js';
import { type Json, type ToolParameter, toJson } from '../../render.js';
import { drawSum, resultOf } from '../arithmetic.js';
import type { CaseMaker } from './tool-case.js';

const WEATHER = phrases(`
[What is|What's|How is|How's|Tell me|Check|Get|Give me|Show me|I need|Look up|Find] the [weather|weather|forecast|temperature|current weather] [in|for|in] {c}[| today| now| right now| please][?|.|]
[What is|What's] the weather like in {c}[| today| now][?|]
[Weather|Forecast|Temperature|The weather] [in|for] {c}[?|| today?| please| now]
[Is it|Will it be] [cold|warm|hot|sunny|raining|windy|snowing] in {c}[| today| tomorrow| now][?|]
How [warm|cold|hot] is it in {c}[?|| today?]
[Do I need|Should I take] [an umbrella|a coat|a hat] in {c}[?|]
[I am|I'm] [going|travelling|flying|driving] to {c}[.|,] [how|what] is the weather[ there|][?|]
[Tell me|Say|Let me know|I wonder|I would like to know] [how cold it is|how warm it is|what the weather is|if it rains|about the weather|the weather] in {c}[.|?|| today.]
[Is|Will] the weather [be |][good|bad|nice|fine] in {c}[?|| today?]
[Can|Could] you [check|tell me|look up|get] the weather [in|for] {c}[?|]`);

const weather: CaseMaker = (random) => {
  const c = random.chance(0.1)
    ? `${city(random)}, ${random.pick(['CA', 'NY', 'TX', 'UK', 'WA'])}`
    : city(random);
  const key = random.pick(['city', 'location', 'place', 'city', 'location', 'town']);
  const parameters: Record<string, ToolParameter> = { [key]: { type: 'string' } };
  const args: Record<string, Json> = { [key]: c };
  let ask = say(random, WEATHER, { c });
  if (random.chance(0.25)) {
    const unitKey = random.pick(['unit', 'units']);
    parameters[unitKey] = { type: 'string', choices: ['celsius', 'fahrenheit'] };
    if (random.chance(0.6)) {
      const unit = random.pick(['celsius', 'fahrenheit']);
      args[unitKey] = unit;
      ask = `${ask.replace(/[?.]$/, '')} in ${unit}${random.pick(['?', '.', ''])}`;
    }
  }
  const degrees = random.between(-9, 38);
  const sky = random.pick(WEATHERS);
  const skyKey = random.pick(['condition', 'conditions', 'weather', 'sky', 'description']);
  const degreeKey = random.pick(['temperature', 'temp', 'degrees', 'temperature_c']);
  const pair = random.chance(0.5)
    ? { [degreeKey]: degrees, [skyKey]: sky }
    : { [skyKey]: sky, [degreeKey]: degrees };
  const name = random.pick([
    'get_weather',
    'get_weather',
    'weather',
    'get_current_weather',
    'weather_lookup',
    'getWeather',
    'check_weather',
    'get_forecast',
    'current_weather',
  ]);
  const both = {
    result: random.pick([
      toJson(pair),
      toJson(pair),
      toJson({ [key]: c, ...pair }),
      `${sky}, ${degrees} degrees`,
      `${degrees}°C and ${sky}`,
    ]),
    reply: `In ${c} it is ${degrees} degrees and ${sky}.`,
  };
  const one = random.pick([
    {
      result: random.pick([toJson({ [degreeKey]: degrees }), `${degrees} degrees`, `${degrees}°C`]),
      reply: `In ${c} it is ${degrees} degrees.`,
    },
    { result: random.pick([toJson({ [skyKey]: sky }), sky]), reply: `In ${c} it is ${sky}.` },
  ]);
  const described = random.pick([
    'Get the weather',
    'Get the current weather',
    'Weather of a city',
    'Look up the weather in a place',
    'Get the current weather in a given location',
  ]);
  return {
    tool: { name, description: described, parameters },
    ask,
    args,
    ...(random.chance(0.7) ? both : one),
  };
};

const TIME = phrases(`
[What is|What's|Tell me|Say|Give me|Check|Get] the [time|current time|local time|clock] in {c}[?|.|| now?| please]
[What|Which] time is it in {c}[?|| now?| right now?]
[Time|Current time|Clock] in {c}[?|]`);

const clock: CaseMaker = (random) => {
  const c = city(random);
  const time = clockTime(random);
  const key = random.pick(['city', 'location', 'place', 'timezone']);
  return {
    tool: {
      name: random.pick(['get_time', 'current_time', 'get_current_time', 'time_in', 'world_clock']),
      description: 'Get the current time in a city',
      parameters: { [key]: { type: 'string' } },
    },
    ask: say(random, TIME, { c }),
    args: { [key]: c },
    result: random.pick([time, toJson({ time })]),
    reply: `In ${c} it is ${time}.`,
  };
};

const PEOPLE = phrases(`
Extract {n} is {a} years old[.|]
{n} is {a} years old[.|]
[Create|Add|Register|Save|Store] [a user|a person|the user|the person|a customer|] [named|called|with the name] {n}[, who is {a}| who is {a} years old|, age {a}|, aged {a}|, {a} years old][.|]
[Add|Register|Save] {n}, [age {a}|aged {a}|who is {a} years old|{a} years old|{a}][.|]
My name is {n} and I am {a} years old[.|]
[We have|Here is|Meet] [a new user|a user|a person|a customer] [called|named|,] {n}, [who is|aged] {a}[.| years old.]
[Extract|Read|Parse] the [user|person|data|details][:| from:] {n} is {a}[.| years old.]`);

const people: CaseMaker = (random) => {
  const n = person(random);
  const a = random.between(1, 99);
  const name = random.pick([
    'User',
    'User',
    'Person',
    'create_user',
    'add_user',
    'extract_user',
    'Customer',
    'register_person',
    'UserInfo',
    'add_person',
  ]);
  const [first, second] = random.pick([
    ['name', 'age'],
    ['name', 'age'],
    ['full_name', 'age'],
    ['username', 'age'],
    ['name', 'years'],
  ] as const);
  return {
    tool: {
      name,
      description: random.pick([
        'Details of a user',
        'Add a person',
        'A user with name and age',
        'Save a person',
      ]),
      parameters: { [first]: { type: 'string' }, [second]: { type: 'integer' } },
    },
    ask: say(random, PEOPLE, { n, a }),
    args: { [first]: n, [second]: a },
    result: random.pick(['ok', toJson({ status: 'ok' }), toJson({ success: true })]),
    reply: 'Done.',
  };
};

const SUMS = phrases(`
[What is|Calculate|Compute|How much is|Work out|] {a} {s} {b}[?|.|]
[Can|Could] you [calculate|compute|work out] {a} {s} {b}[?|]
[Use the tool for|I need the result of|Tell me|I need|Please do|I want to know] {a} {s} {b}[.|]`);

const SUMS_IN_WORDS = {
  '+': phrases(`
[Add|Sum up|Add up|Please add] {a} [and|to|plus] {b}[.|]
[What is|I want|Get|Find|I need|Give me|Compute|Tell me|Work out|Calculate|Show me|I want to know] the [sum|sum|total|result] of {a} [and|plus|+] {b}[.|?|| please]
[Can|Could] you [find|tell me|get|compute] the [sum|total] of {a} [and|plus] {b}[?|]
[Add|Put] {a} and {b} together[.|]
[Sum|Total] of {a} and {b}[?|]`),
  '-': phrases(`
[Subtract|Take|Please subtract] {b} from {a}[.|]
[What is|I want|Get|Find] the difference [of|between] {a} and {b}[.|?|]`),
  x: phrases(`
[Multiply|Please multiply] {a} [by|and|with] {b}[.|]
[What is|I want|Get|Find] the product of {a} and {b}[.|?|]`),
};

const sums: CaseMaker = (random) => {
  const drawn = drawSum(random);
  const sum = random.chance(0.5)
    ? drawn
    : { ...drawn, a: random.between(100, 999), b: random.between(10, random.chance(0.5) ? 999 : 9999) };
  const names = {
    '+': ['add', 'sum', 'add_numbers', 'plus'],
    '-': ['subtract', 'minus', 'difference'],
    x: ['multiply', 'times', 'product'],
  }[sum.operation];
  const said = { '+': ['+', 'plus'], '-': ['-', 'minus'], x: ['x', 'times', '*'] }[sum.operation];
  const value = resultOf(sum);
  const wordings = random.chance(0.55) ? SUMS_IN_WORDS[sum.operation] : SUMS;
  const ask = say(random, wordings, { a: sum.a, b: sum.b, s: random.pick(said) }).trim();
  const outcome = {
    result: random.pick([String(value), toJson({ result: value })]),
    reply: `The result is ${value}.`,
  };
  if (random.chance(0.25)) {
    const key = random.pick(['expression', 'formula', 'input']);
    return {
      tool: {
        name: random.pick(['calculator', 'calculate', 'calc', 'evaluate']),
        description: 'Calculate an expression',
        parameters: { [key]: { type: 'string' } },
      },
      ask,
      args: { [key]: `${sum.a} ${{ '+': '+', '-': '-', x: '*' }[sum.operation]} ${sum.b}` },
      ...outcome,
    };
  }
  const [first, second] = random.pick([
    ['a', 'b'],
    ['a', 'b'],
    ['x', 'y'],
    ['first', 'second'],
    ['num1', 'num2'],
  ] as const);
  const described = { '+': 'Add two numbers', '-': 'Subtract two numbers', x: 'Multiply two numbers' }[
    sum.operation
  ];
  const type = random.pick(['number', 'integer']);
  return {
    tool: {
      name: random.pick(names),
      description: described,
      parameters: { [first]: { type }, [second]: { type } },
    },
    ask,
    args: { [first]: sum.a, [second]: sum.b },
    ...outcome,
  };
};

const SEARCH = phrases(`
[Search|Search the web|Look|Please search|Can you search|Google] for {s}[.|?|]
[Look up|Find|Find information about|Find something about|Find pages about|Search] {s}[.|| online.| on the web.]
[Can|Would] you [look up|find|google|search for] {s}[?|| online?| for me?]
[I want|I need] to [find|look up|search for|know more about] {s}[.|]`);

const search: CaseMaker = (random) => {
  const s = random.chance(0.3)
    ? `${random.pick(['hotels in', 'news about', 'flights to', 'history of', 'recipe for', 'best'])} ${random.chance(0.6) ? city(random) : word(random)}`
    : shortPhrase(random, 3);
  const key = random.pick(['query', 'query', 'q', 'search', 'text', 'term']);
  const title = shortPhrase(random, 3);
  return {
    tool: {
      name: random.pick(['search', 'web_search', 'search_web', 'find', 'lookup', 'google']),
      description: random.pick(['Search the web', 'Search', 'Find pages']),
      parameters: { [key]: { type: 'string' } },
    },
    ask: say(random, SEARCH, { s }),
    args: { [key]: s },
    result: random.pick([title, toJson({ result: title }), toJson({ results: [title] })]),
    reply: `I found this: ${title}.`,
  };
};

const MAIL = phrases(`
[Send|Write|Please send|Can you send] [an email|a mail|a message|an e-mail] to {to} about {s}[.|]
[Email|Mail|Message|Write to] {to} about {s}[.|]
[Send|Write] {to} [an email|a mail|a message] [about|with the subject|with subject] {s}[.|]
[Send|Write] [an email|a mail] to {to} with [the |]subject {s}[.|]
[Can|Would] you [send|write] [an email|a mail|a message] to {to} about {s}[?|]
[I want|I need] to [send|write] [an email|a mail|a message] to {to} about {s}[.|]`);

const mailing: CaseMaker = (random) => {
  const to = random.chance(0.7) ? email(random) : person(random);
  const s = `${random.chance(0.25) ? random.pick(['the ', 'my ', 'our ', 'a ']) : ''}${shortPhrase(random, 3)}`;
  const [first, second] = random.pick([
    ['to', 'subject'],
    ['to', 'subject'],
    ['recipient', 'subject'],
    ['address', 'title'],
    ['to', 'topic'],
  ] as const);
  return {
    tool: {
      name: random.pick(['send_email', 'send_mail', 'sendEmail', 'email', 'mail', 'send_message']),
      description: random.pick(['Send an email', 'Send a mail']),
      parameters: { [first]: { type: 'string' }, [second]: { type: 'string' } },
    },
    ask: say(random, MAIL, { to, s }),
    args: { [first]: to, [second]: s },
    result: random.pick(['sent', toJson({ status: 'sent' }), 'ok']),
    reply: 'Done.',
  };
};

const TIMER = phrases(`
[Set|Start|Please set|Create|Please start|Can you set] a timer [for|of] {n} {u}[.|]
[Start|Set] a {n} {v} timer[.|]
[Timer|A timer]: {n} {u}
[Wake|Remind|Call] me in {n} {u}[.|]
[I want|Give me|Please make|Now start] a timer [for|of] {n} {u}[.|]`);

const timer: CaseMaker = (random) => {
  const u = random.pick(['minutes', 'minutes', 'seconds', 'hours']);
  const n = random.between(2, 90);
  const key = random.pick([u, u, u, `duration_${u}`]);
  return {
    tool: {
      name: random.pick(['set_timer', 'start_timer', 'timer', 'create_timer', 'setTimer']),
      description: 'Set a timer',
      parameters: { [key]: { type: 'integer' } },
    },
    ask: say(random, TIMER, { n, u, v: u.slice(0, -1) }),
    args: { [key]: n },
    result: random.pick(['ok', toJson({ status: 'started' }), 'started']),
    reply: 'Done.',
  };
};

const NO_ARGUMENTS = [
  [
    'get_date',
    'Get the date of today',
    ['What is the date today?', 'Which day is it?', 'Tell me the date.'],
    'date',
  ],
  ['list_files', 'List the files', ['List my files.', 'Which files do I have?', 'Show the files.'], 'files'],
  ['roll_dice', 'Roll a dice', ['Roll a dice.', 'Throw the dice.', 'Roll the dice for me.'], 'number'],
  ['get_news', 'Get the news', ['What is the news?', 'Any news today?', 'Give me the news.'], 'news'],
  [
    'get_location',
    'Get the place of the user',
    ['Where am I?', 'What is my location?', 'Find my location.'],
    'location',
  ],
  [
    'get_battery',
    'Get the battery level',
    ['How full is the battery?', 'Check my battery.', 'What is the battery level?'],
    'level',
  ],
] as const;

const bare: CaseMaker = (random) => {
  const [name, description, asks, key] = random.pick(NO_ARGUMENTS);
  const value =
    key === 'number'
      ? random.between(1, 6)
      : key === 'level'
        ? random.between(1, 100)
        : key === 'location'
          ? city(random)
          : shortPhrase(random, 2);
  return {
    tool: { name, description, parameters: {} },
    ask: random.pick(asks),
    args: {},
    result: random.pick([toJson({ [key]: value })]),
    reply: `The ${key} is ${value}.`,
  };
};

/** The common tools and how often each is drawn. */
export const COMMON_TOOLS: readonly (readonly [CaseMaker, number])[] = [
  [weather, 5],
  [clock, 2],
  [people, 3],
  [sums, 4.5],
  [search, 2],
  [mailing, 2],
  [timer, 2],
  [bare, 1],
];
