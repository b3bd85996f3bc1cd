// Settings from flags, environment and file, checked once, then frozen. Owns the environment's names.

export { describeSettings, type SettingHelp, settingsAsMarkdown } from './describe.js';
export { engineOptionsOf, type FoundModel } from './engine-options.js';
export { SettingError } from './errors.js';
export { httpOptionsOf } from './http-options.js';
export type { Alias, ListenAddress } from './kinds.js';
export { loadSettings, type SettingSources } from './settings.js';
export type { Flags } from './sources.js';
export type { Settings } from './table.js';
export { tgiOptionsOf } from './tgi-options.js';
