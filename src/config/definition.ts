// What a setting is. The names under which it can be given follow from its key alone, so that knowing one is
// knowing all: key `ctxSize`, flag `--ctx-size`, environment `KOINE_CTX_SIZE`, in a settings file `ctx-size`.

import type { Kind } from './kinds.js';

/** Headings under which settings are listed for people. */
export type Group = 'model' | 'engine' | 'server' | 'logs' | 'tgi';

interface Common {
  readonly group: Group;
  /** One line for people, without a full stop. */
  readonly about: string;
  /** How the default is described where the value itself would not help. */
  readonly defaultText?: string;
  /** Environment name that other programs have made customary, in place of KOINE_*. */
  readonly env?: string;
  /** Given by argument (the model) or only by the environment (secrets of others) rather than by flag and file. */
  readonly only?: 'argument' | 'environment';
  /** A secret: never shown in messages. */
  readonly secret?: true;
}

/** A setting with one value. */
export interface One<T, D> extends Common {
  readonly many: false;
  readonly kind: Kind<T>;
  readonly default: D;
}

/** A setting that can be given several times. */
export interface Many<T> extends Common {
  readonly many: true;
  readonly kind: Kind<T>;
  readonly default: readonly T[];
}

/** Any setting of a table, its types aside. */
export type AnySetting = One<unknown, unknown> | Many<unknown>;

/** The type of a setting's value. */
export type ValueOf<S> =
  S extends Many<infer T> ? readonly T[] : S extends One<infer T, infer D> ? T | D : never;

/** Declares a setting with one value. */
export function one<T, D extends T | undefined>(
  kind: Kind<T>,
  value: D,
  about: string,
  rest: Rest,
): One<T, D> {
  return { many: false, kind, default: value, about, ...rest };
}

/** Declares a setting that can be given several times. */
export function many<T>(kind: Kind<T>, about: string, rest: Rest, values: readonly T[] = []): Many<T> {
  return { many: true, kind, default: values, about, ...rest };
}

type Rest = Omit<Common, 'about'>;

/** `ctxSize` -> `ctx-size`: the name in flags and files. */
export function wordsOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `ctxSize` -> `KOINE_CTX_SIZE`, unless the setting has a customary name of its own. */
export function envOf(key: string, setting: { readonly env?: string }): string {
  return setting.env ?? `KOINE_${wordsOf(key).toUpperCase().replaceAll('-', '_')}`;
}
