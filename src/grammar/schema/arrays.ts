// Array schemas as grammar text.

import { times } from '../ebnf.js';
import { refused } from '../limits.js';
import type { GuardShape } from './guard.js';
import { below, countOf, type Schema } from './model.js';
import { type Conversion, type Converted, inside, type Place } from './place.js';

/** Most elements a grammar counts; an array that may have more is held to this. */
const MAX_COUNTED = 1024;

interface Elements {
  readonly prefix: readonly (Converted | undefined)[];
  /** Elements behind the prefix; undefined when there can be none. */
  readonly rest: Converted | undefined;
}

function elementsOf(converter: Conversion, schema: Schema, place: Place): Elements {
  const legacy = Array.isArray(schema['items']);
  const listed: unknown = schema['prefixItems'] ?? (legacy ? schema['items'] : []);
  if (!Array.isArray(listed)) throw refused(below(place.at, 'prefixItems'), 'it must be a list of schemas');
  const keyword = legacy ? 'items' : 'prefixItems';
  const prefix = listed.map((item, index) => converter.convert(item, inside(place, keyword, index)));
  // Only beside a list of items do older drafts let `additionalItems` say anything.
  const behind = legacy ? 'additionalItems' : 'items';
  const min = countOf(schema, 'minItems', place.at) ?? 0;
  // A tuple that does not speak of further elements is taken to have none, unless it must.
  const isOpen = prefix.length === 0 || min > prefix.length;
  const closed = schema['unevaluatedItems'] === false ? false : isOpen;
  const rest = converter.convert(schema[behind] ?? closed, inside(place, behind));
  return { prefix, rest };
}

/** An array schema; undefined when no array matches. */
export function arrayText(converter: Conversion, schema: Schema, place: Place): Converted | undefined {
  const { prefix, rest } = elementsOf(converter, schema, place);
  const min = countOf(schema, 'minItems', place.at) ?? 0;
  const max = countOf(schema, 'maxItems', place.at);
  if (min > MAX_COUNTED)
    throw refused(below(place.at, 'minItems'), `more than ${MAX_COUNTED} is not supported`);
  const ws = converter.ws === '' ? '' : ` ${converter.ws}`;
  const next = (item: Converted): string => converter.spaced('","', item.text) + ws;

  /** What may follow `index` elements; undefined when nothing valid can. */
  const after = (index: number): string | undefined => {
    const canEnd = index >= min;
    if (max !== undefined && index >= max) return canEnd ? '' : undefined;
    const item = prefix[index];
    if (index >= prefix.length) {
      if (rest === undefined) return canEnd ? '' : undefined;
      const high = max === undefined ? undefined : Math.min(max, MAX_COUNTED) - index;
      return `(${next(rest)})${times(Math.max(0, min - index), high)}`;
    }
    const tail = item === undefined ? undefined : after(index + 1);
    if (item === undefined || tail === undefined) return canEnd ? '' : undefined;
    const more = `${next(item)} ${tail}`.trim();
    return canEnd ? `(${more})?` : more;
  };

  const first = prefix.length > 0 ? prefix[0] : rest;
  const tail = first === undefined || max === 0 ? undefined : after(1);
  const shape: GuardShape = {};
  if (prefix.length > 0) shape.prefix = prefix.map((item) => item?.shape ?? {});
  if (rest !== undefined) shape.items = rest.shape;
  const empty = converter.spaced('"["', '"]"');
  const isGuarded = [...prefix, rest].some((item) => item?.isGuarded);
  const facts = { shape, kinds: ['array'], isGuarded } as const;
  if (first === undefined || tail === undefined) return min === 0 ? { text: empty, ...facts } : undefined;
  const filled = [converter.spaced('"["', first.text) + ws, tail, '"]"']
    .filter((part) => part !== '')
    .join(' ');
  return { text: min === 0 ? `(${filled} | ${empty})` : filled, ...facts };
}
