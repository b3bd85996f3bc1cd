// Where settings come from: command line, environment, YAML file. Each source becomes the same thing, texts by
// key, so that one check serves all three. What wins over what is for settings.ts to say.

import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type AnySetting, envOf, wordsOf } from './definition.js';
import { SettingError } from './errors.js';
import { SETTING_KEYS, type SettingKey, TABLE } from './table.js';

/** What a source says about one setting. */
export interface Given {
  readonly texts: readonly string[];
  /** What relative paths in the texts are relative to. */
  readonly baseDir: string;
  /** For messages: `--port`, `KOINE_PORT`, `port in koine.yaml`. */
  readonly from: string;
}

export type Source = ReadonlyMap<SettingKey, Given>;

/** Parsed flags by key, as the command line room collects them; `model` holds the arguments. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

const settingOf = (key: SettingKey): AnySetting => TABLE[key];

/** Reads flags. Their names were checked by the command line room already. */
export function fromFlags(flags: Flags, cwd: string): Source {
  const source = new Map<SettingKey, Given>();
  for (const key of SETTING_KEYS) {
    const value = flags[key];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    const texts =
      typeof value === 'boolean' ? [value ? 'on' : 'off'] : typeof value === 'string' ? [value] : value;
    const from = settingOf(key).only === 'argument' ? 'the command line' : `--${wordsOf(key)}`;
    source.set(key, { texts, baseDir: cwd, from });
  }
  return source;
}

/** Whether Kubernetes has put a variable there, as it does for a service that is called `koine`. */
function isServiceLink(name: string, value: string): boolean {
  if (name === 'KOINE_PORT') return /^(tcp|udp|sctp):\/\//.test(value);
  return /^KOINE_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(name);
}

/**
 * Reads the environment. A variable that is empty counts as not given; several values are separated by commas.
 * Throws on a KOINE_* variable that is no setting.
 */
export function fromEnvironment(env: NodeJS.ProcessEnv, cwd: string): Source {
  const source = new Map<SettingKey, Given>();
  const known = new Set<string>(['KOINE_CONFIG']);
  for (const key of SETTING_KEYS) {
    const setting = settingOf(key);
    const name = envOf(key, setting);
    known.add(name);
    const value = env[name];
    if (value === undefined || value === '' || isServiceLink(name, value)) continue;
    const texts = setting.many ? value.split(',').map((part) => part.trim()) : [value];
    source.set(key, { texts, baseDir: cwd, from: name });
  }
  const stranger = Object.keys(env).find(
    (name) => name.startsWith('KOINE_') && !known.has(name) && !isServiceLink(name, env[name] ?? ''),
  );
  if (stranger !== undefined) {
    throw new SettingError(
      `${stranger} in the environment is not a setting; \`koine serve --help\` lists them all.`,
    );
  }
  return source;
}

/**
 * Reads a YAML file: a mapping from names as in flags (without the dashes) to a value or a list of values.
 * Relative paths in it are relative to the file. Throws with the file's name on anything else.
 */
export async function fromFile(file: string): Promise<Source> {
  const name = basename(file);
  const document = await readYaml(file);
  if (document === null || document === '') return new Map();
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new SettingError(`${name} must be a mapping from settings to values, such as \`port: 8080\`.`);
  }
  const keys = new Map(SETTING_KEYS.map((key) => [wordsOf(key), key]));
  const source = new Map<SettingKey, Given>();
  for (const [word, value] of Object.entries(document)) {
    const key = keys.get(word);
    if (key === undefined) {
      throw new SettingError(`${word} in ${name} is not a setting; \`koine serve --help\` lists them all.`);
    }
    const setting = settingOf(key);
    if (setting.only === 'environment') {
      throw new SettingError(
        `${word} in ${name} is not read from files; put it into the environment as ${envOf(key, setting)}.`,
      );
    }
    source.set(key, {
      texts: textsOf(value, word, name),
      baseDir: dirname(resolve(file)),
      from: `${word} in ${name}`,
    });
  }
  return source;
}

/** Every scalar stays the text that was written, so that a file is checked by the same rules as a flag. */
async function readYaml(file: string): Promise<unknown> {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'does not exist'
        : 'cannot be read';
    throw new SettingError(`The settings file ${file} ${reason}.`, { cause: error });
  }
  const { parse } = await import('yaml');
  try {
    return parse(content, { schema: 'failsafe' });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new SettingError(`${basename(file)} is not valid YAML: ${reason}`, { cause: error });
  }
}

/** A scalar, a list of scalars, or a mapping that stands for `name=value` pairs. */
function textsOf(value: unknown, word: string, file: string): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const pairs = Object.entries(value);
    if (pairs.every(([, item]) => typeof item === 'string'))
      return pairs.map(([name, item]) => `${name}=${item}`);
  }
  throw new SettingError(
    `${word} in ${file} must be a value, a list of values or a mapping from names to values.`,
  );
}
