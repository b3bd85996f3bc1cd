// Whether no value can match two schemas: what makes `oneOf` the same as `anyOf`. Only simple proofs are tried.

import type { Resolve } from './merge.js';
import { flatten } from './merge.js';
import { isOfType, isSchemaObject, type JsonType, requiredOf, type Schema, typesOf } from './model.js';

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  const values = schema['enum'];
  return Array.isArray(values) ? values : undefined;
}

function overlap(a: readonly JsonType[], b: readonly JsonType[]): boolean {
  const isNumber = (type: JsonType): boolean => type === 'number' || type === 'integer';
  return a.some((one) => b.some((other) => one === other || (isNumber(one) && isNumber(other))));
}

/** True when it is certain that no value matches both. */
export function areDisjoint(a: unknown, b: unknown, at: string, resolve: Resolve): boolean {
  const left = flatten(a, at, resolve);
  const right = flatten(b, at, resolve);
  if (left === false || right === false) return true;
  const leftTypes = typesOf(left, at);
  const rightTypes = typesOf(right, at);
  const leftValues = valuesOf(left);
  const rightValues = valuesOf(right);
  if (leftValues !== undefined && rightValues !== undefined) {
    const known = new Set(rightValues.map((value) => JSON.stringify(value)));
    return !leftValues.some((value) => known.has(JSON.stringify(value)));
  }
  if (leftValues !== undefined && rightTypes !== undefined) {
    if (!leftValues.some((value) => isOfType(value, rightTypes))) return true;
  }
  if (rightValues !== undefined && leftTypes !== undefined) {
    if (!rightValues.some((value) => isOfType(value, leftTypes))) return true;
  }
  if (leftTypes === undefined || rightTypes === undefined) return false;
  if (!overlap(leftTypes, rightTypes)) return true;
  const shared = requiredOf(left, at).filter((name) => requiredOf(right, at).includes(name));
  const leftProperties = left['properties'];
  const rightProperties = right['properties'];
  if (!isSchemaObject(leftProperties) || !isSchemaObject(rightProperties)) return false;
  const areObjects = [...leftTypes, ...rightTypes].every((type) => type === 'object');
  return (
    areObjects &&
    shared.some(
      (name) =>
        name in leftProperties &&
        name in rightProperties &&
        areDisjoint(leftProperties[name], rightProperties[name], at, resolve),
    )
  );
}
