// The kinds of value a setting can have: what text each accepts, how that is said to people, and how a value is
// shown. Pure; where the text came from and what to do about a refusal is left to sources.ts and settings.ts.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Reads one value from text. `undefined` = not allowed, and `allowed` says what would be. */
export interface Kind<T> {
  /** Stands for the value in usage lines, e.g. `N` or `FILE`. */
  readonly valueName: string;
  /** Completes the sentence "allowed is ...". */
  readonly allowed: string;
  /** `baseDir` is what relative paths are relative to: the working folder, or that of the settings file. */
  parse(text: string, baseDir: string): T | undefined;
  /** The value as a user would write it. */
  show(value: T): string;
}

/** Any text that is not empty. */
export function text(valueName: string, allowed = 'any text that is not empty'): Kind<string> {
  return { valueName, allowed, parse: (given) => (given === '' ? undefined : given), show: (value) => value };
}

/** Text of a given form. */
export function pattern(valueName: string, form: RegExp, allowed: string): Kind<string> {
  return {
    valueName,
    allowed,
    parse: (given) => (form.test(given) ? given : undefined),
    show: (value) => value,
  };
}

/** A whole number within `min` .. `max`, both included. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Kind<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    valueName: 'N',
    allowed: `a whole number ${range}`,
    parse(given) {
      if (!/^-?\d+$/.test(given)) return undefined;
      const value = Number(given);
      return value >= min && value <= max ? value : undefined;
    },
    show: String,
  };
}

/** A number, fraction allowed, within `min` .. `max`, both included. */
export function decimal(min: number, max: number): Kind<number> {
  return {
    valueName: 'N',
    allowed: `a number from ${min} to ${max}`,
    parse(given) {
      if (!/^-?\d+(\.\d+)?$/.test(given)) return undefined;
      const value = Number(given);
      return value >= min && value <= max ? value : undefined;
    },
    show: String,
  };
}

/** On or off. On the command line: `--name` and `--no-name`. */
export const toggle: Kind<boolean> = {
  valueName: '',
  allowed: 'on, off, true, false, yes, no, 1 or 0',
  parse(given) {
    const word = given.toLowerCase();
    if (['on', 'true', 'yes', '1'].includes(word)) return true;
    return ['off', 'false', 'no', '0'].includes(word) ? false : undefined;
  },
  show: (value) => (value ? 'on' : 'off'),
};

/** One of a closed list of words. */
export function oneOf<const W extends string>(words: readonly W[]): Kind<W> {
  return {
    valueName: 'WORD',
    allowed: `one of ${words.join(', ')}`,
    parse: (given) => words.find((word) => word === given),
    show: (value) => value,
  };
}

const BYTE_UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
]);

/** An amount of memory in bytes, written with or without a unit: `2GiB`, `500MB`, `1048576`. */
export const bytes: Kind<number> = {
  valueName: 'SIZE',
  allowed: 'a size such as 512MiB, 2GiB, 500MB or a plain number of bytes',
  parse(given) {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(given);
    const unit = BYTE_UNITS.get(match?.[2]?.toLowerCase() ?? '?');
    return match === null || unit === undefined ? undefined : Math.floor(Number(match[1]) * unit);
  },
  show(value) {
    const unit = [...BYTE_UNITS].reverse().find(([, size]) => value >= size && value % size === 0);
    const names: Readonly<Record<string, string>> = { kib: 'KiB', mib: 'MiB', gib: 'GiB' };
    return unit === undefined || unit[1] === 1
      ? String(value)
      : `${value / unit[1]}${names[unit[0]] ?? unit[0].toUpperCase()}`;
  },
};

const TIME_UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1000],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** A length of time in milliseconds, written with or without a unit: `500ms`, `30s`, `2m`; plain numbers are seconds. */
export const duration: Kind<number> = {
  valueName: 'TIME',
  allowed: 'a time such as 500ms, 30s, 2m or a plain number of seconds',
  parse(given) {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(given);
    const unit = TIME_UNITS.get(match?.[2]?.toLowerCase() ?? '?');
    return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
  },
  show: (value) => (value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`),
};

/** A path, made absolute. `~/` is the user's home folder, also where no shell has expanded it. */
export function path(valueName: 'FILE' | 'FOLDER'): Kind<string> {
  return {
    valueName,
    allowed: `the path of a ${valueName.toLowerCase()}`,
    parse: (given, baseDir) => (given === '' ? undefined : resolve(baseDir, expandHome(given))),
    show: (value) => value,
  };
}

/** What names a model: a path, made absolute where there is such a file or folder, or anything else that may. */
export const modelName: Kind<string> = {
  valueName: 'MODEL',
  allowed: 'a GGUF file, a folder with one, or hf:org/repo[:quant]',
  parse(given, baseDir) {
    if (given === '') return undefined;
    const file = resolve(baseDir, expandHome(given));
    return existsSync(file) ? file : given;
  },
  show: (value) => value,
};

function expandHome(given: string): string {
  return given === '~' || given.startsWith('~/') ? homedir() + given.slice(1) : given;
}

/** A name and a path: `name=path`. */
export const namedPath: Kind<{ readonly name: string; readonly path: string }> = {
  valueName: 'NAME=FILE',
  allowed: 'a name, an equals sign and a path, such as poet=adapters/poet.gguf',
  parse(given, baseDir) {
    const at = given.indexOf('=');
    if (at <= 0 || at === given.length - 1) return undefined;
    return { name: given.slice(0, at), path: resolve(baseDir, expandHome(given.slice(at + 1))) };
  },
  show: (value) => `${value.name}=${value.path}`,
};

/** A further address that speaks one dialect only. `host` absent = that of the main address. */
export interface ListenAddress {
  readonly dialect: string;
  readonly host?: string;
  readonly port: number;
}

/** `DIALECT:PORT` or `DIALECT:HOST:PORT`; an IPv6 host in brackets. Whether the dialect exists is for serve to say. */
export const listenAddress: Kind<ListenAddress> = {
  valueName: 'DIALECT:PORT',
  allowed:
    'DIALECT:PORT or DIALECT:HOST:PORT with a port from 0 to 65535, such as tgi:3000 or tgi:0.0.0.0:3000',
  parse(given) {
    const match = /^([a-z0-9.-]+):(?:(\[[0-9a-f:]+\]|[^:[\]]+):)?(\d{1,5})$/i.exec(given);
    const port = Number(match?.[3]);
    if (match?.[1] === undefined || port > 65_535) return undefined;
    const host = match[2]?.replace(/^\[|\]$/g, '');
    return { dialect: match[1], ...(host === undefined ? {} : { host }), port };
  },
  show: ({ dialect, host, port }) =>
    [dialect, ...(host === undefined ? [] : [host.includes(':') ? `[${host}]` : host]), port].join(':'),
};

/** Another name for a model: `NAME` for the first one, `NAME=MODEL` for another. */
export interface Alias {
  readonly name: string;
  readonly model?: string;
}

/** `NAME` or `NAME=MODEL`. */
export const alias: Kind<Alias> = {
  valueName: 'NAME[=MODEL]',
  allowed: 'a name, or a name, an equals sign and a model',
  parse(given) {
    const [name = '', model, ...rest] = given.split('=');
    if (name === '' || model === '' || rest.length > 0) return undefined;
    return model === undefined ? { name } : { name, model };
  },
  show: ({ name, model }) => (model === undefined ? name : `${name}=${model}`),
};
