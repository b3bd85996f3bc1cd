// Settings for a command, from the command line and the process's surroundings.

import { type Flags, loadSettings, type Settings } from '../config/index.js';

/** Reads and checks the settings. Throws `SettingError`. */
export function settingsOf(flags: Flags): Promise<Settings> {
  return loadSettings({ flags, env: process.env, cwd: process.cwd() });
}
