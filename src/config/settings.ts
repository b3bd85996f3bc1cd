// Brings the sources together. The rule, stated here once: a flag wins over the environment, the environment
// over the settings file, the file over the default; a list is taken whole from the first of them that has one.

import { resolve } from 'node:path';
import type { AnySetting } from './definition.js';
import { wordsOf } from './definition.js';
import { SettingError } from './errors.js';
import { type Flags, fromEnvironment, fromFile, fromFlags, type Given, type Source } from './sources.js';
import { SETTING_KEYS, type Settings, TABLE } from './table.js';

/** What the settings are made from. */
export interface SettingSources {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  /** The folder relative paths on the command line and in the environment are relative to. */
  readonly cwd: string;
}

/**
 * Reads, merges and checks all settings. The settings file is the one `--config` or KOINE_CONFIG names.
 * Throws `SettingError` on the first setting that is unknown or not allowed.
 */
export async function loadSettings({ flags, env, cwd }: SettingSources): Promise<Settings> {
  const file = typeof flags['config'] === 'string' ? flags['config'] : env['KOINE_CONFIG'];
  const sources: Source[] = [fromFlags(flags, cwd), fromEnvironment(env, cwd)];
  if (file !== undefined && file !== '') sources.push(await fromFile(resolve(cwd, file)));
  const values = SETTING_KEYS.map((key) => {
    const given = sources.find((source) => source.has(key))?.get(key);
    const setting: AnySetting = TABLE[key];
    return [key, given === undefined ? setting.default : checkedValue(wordsOf(key), setting, given)] as const;
  });
  return freeze(Object.fromEntries(values) as Settings);
}

function checkedValue(name: string, setting: AnySetting, given: Given): unknown {
  if (!setting.many && given.texts.length !== 1) {
    throw new SettingError(`Setting ${name}: takes one value, ${given.from} gives ${given.texts.length}.`);
  }
  const values = given.texts.map((text) => {
    const value = setting.kind.parse(text, given.baseDir);
    if (value !== undefined) return value;
    const shown = setting.secret === true ? 'the value' : JSON.stringify(text);
    throw new SettingError(
      `Setting ${name}: ${shown} from ${given.from} is not allowed; allowed is ${setting.kind.allowed}.`,
    );
  });
  return setting.many ? values : values[0];
}

function freeze(settings: Settings): Settings {
  for (const value of Object.values(settings)) if (typeof value === 'object') Object.freeze(value);
  return Object.freeze(settings);
}
