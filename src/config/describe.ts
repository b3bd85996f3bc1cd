// The settings told to people: the table in docs/operations.md. Flags are told by the command line room.

import { type AnySetting, envOf, type Group, wordsOf } from './definition.js';
import { SETTING_KEYS, TABLE } from './table.js';

const HEADINGS: Readonly<Record<Group, string>> = {
  model: 'Models',
  engine: 'Engine',
  server: 'Server',
  logs: 'Logs',
  tgi: "TGI's limits",
};

/** One setting, ready to be printed. */
export interface SettingHelp {
  readonly key: string;
  readonly group: string;
  /** `--ctx-size N`, `[MODEL...]`, or empty for what only the environment gives. */
  readonly flag: string;
  readonly env: string;
  readonly isToggle: boolean;
  readonly many: boolean;
  readonly about: string;
  readonly allowed: string;
  readonly fallback: string;
}

/** All settings in the order of the table. */
export function describeSettings(): readonly SettingHelp[] {
  return SETTING_KEYS.map((key) => {
    const setting: AnySetting = TABLE[key];
    return {
      key,
      group: HEADINGS[setting.group],
      flag: flagOf(key, setting),
      env: envOf(key, setting),
      isToggle: setting.kind.valueName === '',
      many: setting.many,
      about: setting.about,
      allowed: setting.kind.allowed,
      fallback: fallbackOf(setting),
    };
  });
}

function flagOf(key: string, setting: AnySetting): string {
  if (setting.only === 'environment') return '';
  if (setting.only === 'argument') return `[${setting.kind.valueName}...]`;
  return `--${wordsOf(key)} ${setting.kind.valueName}`.trim();
}

function fallbackOf(setting: AnySetting): string {
  if (setting.defaultText !== undefined) return setting.defaultText;
  if (!setting.many) return setting.kind.show(setting.default);
  return setting.default.length === 0
    ? 'none'
    : setting.default.map((value) => setting.kind.show(value)).join(', ');
}

/** The settings as Markdown tables, one for each group. */
export function settingsAsMarkdown(): string {
  const rows = describeSettings();
  return [...new Set(rows.map((row) => row.group))]
    .map((group) => {
      const lines = rows
        .filter((row) => row.group === group)
        .map(
          (row) =>
            `| ${cell(row.flag, '`')} | ${cell(row.env, '`')} | ${cell(row.fallback)} | ${cell(about(row))} |`,
        );
      return `### ${group}\n\n| flag | environment | default | meaning |\n|---|---|---|---|\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

function about(row: SettingHelp): string {
  const allowed = row.isToggle ? 'on or off' : row.allowed;
  return `${row.about}${row.many ? ' (can be repeated)' : ''}. Allowed: ${allowed}.`;
}

function cell(content: string, quote = ''): string {
  return content === '' ? '' : `${quote}${content.replaceAll('|', '\\|')}${quote}`;
}
