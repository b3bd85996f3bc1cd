// The `grammar` parameter and chat's `response_format`: an object with `type` and `value`.

import type { JsonNode } from '../wire/json-text.js';
import { joinKey } from '../wire/json-text.js';
import {
  documented,
  optional,
  type Place,
  type Read,
  readAny,
  readString,
  required,
  ShapeError,
  struct,
  wrongType,
} from '../wire/shape.js';

/** What the client asked the output to follow; schemas are unchecked. */
export type GrammarBody =
  | { readonly kind: 'json'; readonly schema: unknown }
  | { readonly kind: 'regex'; readonly pattern: string };

const readNamedSchema = struct('JsonSchemaConfig', {
  name: optional('name', readString),
  schema: required('schema', readAny),
});

type Variants = Readonly<Record<string, Read<GrammarBody>>>;

const json: Read<GrammarBody> = (node, place) => ({ kind: 'json', schema: readAny(node, place) });
const regex: Read<GrammarBody> = (node, place) => ({ kind: 'regex', pattern: readString(node, place) });
const named: Read<GrammarBody> = (node, place) => ({
  kind: 'json',
  schema: readNamedSchema(node, place).schema,
});

export const readGrammarV1 = adjacent({ json, regex });
export const readGrammarV3 = adjacent({ json, json_object: json, json_schema: named, regex });

function adjacent(variants: Variants): Read<GrammarBody> {
  return documented(readAdjacent(variants), {
    type: 'object',
    required: ['type', 'value'],
    properties: { type: { type: 'string', enum: Object.keys(variants) }, value: {} },
  });
}

function readAdjacent(variants: Variants): Read<GrammarBody> {
  const names = Object.keys(variants).map((name) => `\`${name}\``);
  const expected = names.length === 2 ? names.join(' or ') : `one of ${names.join(', ')}`;
  return (node, place) => {
    if (node.kind !== 'object') throw wrongType(node, place, 'adjacently tagged enum GrammarType');
    const type = member(node, 'type');
    if (type === undefined) throw new ShapeError(place.path, 'missing field `type`', node.stop);
    const typePlace = below(place, 'type');
    const name = readString(type, typePlace);
    const read = Object.hasOwn(variants, name) ? variants[name] : undefined;
    if (read === undefined) {
      throw new ShapeError(typePlace.path, `unknown variant \`${name}\`, expected ${expected}`, type.stop);
    }
    const value = member(node, 'value');
    if (value === undefined) throw new ShapeError(place.path, 'missing field `value`', node.stop);
    return read(value, below(place, 'value'));
  };
}

function member(node: Extract<JsonNode, { kind: 'object' }>, key: string): JsonNode | undefined {
  return node.members.find((each) => each.key === key)?.value;
}

function below(place: Place, key: string): Place {
  return { text: place.text, path: joinKey(place.path, key) };
}
