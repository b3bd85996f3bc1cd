// Tools that exist nowhere in the corpus, with requests as people would word them.
import { HELD_CITIES, HELD_NAMES, HELD_WORDS } from '../../corpus/heldout.js';
import { around, fill } from '../case.js';

/** The types a parameter may have. */
export type Kind = 'string' | 'integer' | 'number' | 'boolean';

/** A tool as a request carries it, a sentence that asks for it, and the arguments it gives. */
export interface ToolUse {
  readonly tool: unknown;
  readonly name: string;
  readonly text: string;
  readonly args: Readonly<Record<string, string | number | boolean>>;
}

type Parameters = Readonly<Record<string, Kind>>;

/** A tool in the shape of the OpenAI dialect. */
export function tool(name: string, description: string, parameters: Parameters): unknown {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, type]) => [key, { type, description: `The ${key}` }]),
  );
  const schema = { type: 'object', properties, required: Object.keys(parameters) };
  return { type: 'function', function: { name, description, parameters: schema } };
}

// Name | description | parameters with the slot or word each gets | request.
const TABLE = `
paint_wall | Paint a wall | colour=green layers={n} | Paint the wall in green with {n} layers.
feed_pet | Feed a pet | pet={name} grams={n} | Feed the pet {name} with {n} grams.
water_plants | Water the plants | room={word} litres={n} | Water the plants in the room {word} with {n} litres
brew_coffee | Brew coffee | cups={n} | Please brew {n} cups of coffee.
hire_bicycle | Hire a bicycle | city={city} hours={n} | Hire a bicycle in {city} for {n} hours.
launch_balloon | Launch a balloon | place={city} height={n} | Launch the balloon in {city} with height {n}.
borrow_umbrella | Borrow an umbrella | person={name} days={n} | I want to borrow an umbrella for {name} for {n} days.
tune_piano | Tune a piano | address={city} day=Friday | Tune the piano in {city} on Friday.
schedule_haircut | Schedule a haircut | customer={name} time=10:30 | Schedule a haircut for {name} at 10:30.
order_taxi | Order a taxi | origin={city} destination={other} | Order a taxi from {city} to {other}.
plan_picnic | Plan a picnic | guests={n} day=Sunday | Plan a picnic with {n} guests on Sunday.
measure_rainfall | Measure the rainfall | town={city} | Measure the rainfall in {city}.
engrave_medal | Engrave a medal | text={word} metal=silver | Engrave a medal with the text {word} and metal silver
rent_scooter | Rent a scooter | name={name} minutes={n} | Rent a scooter for {name} for {n} minutes
wash_windows | Wash windows | floor={n} | Wash the windows on floor {n}.
getTideTable | Get the tide table | harbor={city} date=Monday | Get the tide table for {city} on Monday.
archive_photo | Archive a photo | title={word} year=19{n} | Archive the photo titled {word} with year 19{n}.
trimHedge | Trim a hedge | height={n} garden={city} | Trim the hedge with height {n} in {city}.
sew_curtain | Sew a curtain | color=blue width={n} | Sew a curtain in blue with width {n}.
knit_scarf | Knit a scarf | recipient={name} length={n} | Knit a scarf for {name} with length {n}`;

const ROWS = TABLE.trim()
  .split('\n')
  .map((line) => line.split(' | '));

/** Use number `i`: the tools go round, the values differ each time. */
export function newUse(i: number): ToolUse {
  const [name = '', description = '', given = '', request = ''] = around(ROWS, i);
  const slots = {
    name: around(HELD_NAMES, i * 3 + 1),
    city: around(HELD_CITIES, i * 3 + 2),
    other: around(HELD_CITIES, i + 7),
    word: around(HELD_WORDS, i * 3),
    n: 10 + ((i * 11) % 57),
  };
  const args: Record<string, string | number> = {};
  const parameters: Record<string, Kind> = {};
  for (const pair of given.split(' ')) {
    const [key = '', value = ''] = pair.split('=');
    const filled = fill(value, slots);
    args[key] = /^\d+$/.test(filled) ? Number(filled) : filled;
    parameters[key] = typeof args[key] === 'number' ? 'integer' : 'string';
  }
  return { tool: tool(name, description, parameters), name, text: fill(request, slots), args };
}
