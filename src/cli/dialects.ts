// The table of dialects: a new one is a folder and one entry here. Rooms are loaded only when the server starts.

import { systemClock } from '../base/index.js';
import { type Settings, tgiOptionsOf } from '../config/index.js';
import type { Management } from '../dialects/jan/index.js';
import type { Dialect } from '../http/index.js';
import type { Router } from '../protocol/index.js';
import type { Metrics } from '../telemetry/index.js';
import { UserError } from './explain.js';

/** What dialects are made from. */
export interface DialectParts {
  readonly settings: Settings;
  readonly router: Router;
  readonly metrics: Metrics;
  /** The models, where they may be managed. */
  readonly management?: Management;
}

/** A dialect under the name users give it, which is also its prefix. */
export interface NamedDialect {
  readonly name: string;
  readonly dialect: Dialect;
  /** Whether its paths are also found on the root of the main address. */
  readonly isOnRoot: boolean;
}

interface Entry {
  readonly name: string;
  readonly isOnRoot: boolean;
  load(parts: DialectParts): Promise<Dialect>;
}

const openai = () => import('../dialects/openai/index.js');
const tgi = () => import('../dialects/tgi/index.js');
const jan = () => import('../dialects/jan/index.js');
const tgiDeps = async ({ settings, ...parts }: DialectParts) => {
  const { detectWatermark } = await import('../engine/index.js');
  return { ...parts, options: tgiOptionsOf(settings), detectWatermark };
};

/** Absent where each dialect does as its own clients expect. */
const unknownOf = ({ settings: { unknownModel } }: DialectParts) =>
  unknownModel === 'auto' ? {} : { unknownModel };

/** In order of precedence on the root. */
const DIALECTS: readonly Entry[] = [
  {
    name: 'openai',
    isOnRoot: true,
    load: async (parts) =>
      (await openai()).openAiDialect({ ...parts, ...unknownOf(parts), clock: systemClock }),
  },
  { name: 'tgi', isOnRoot: true, load: async (parts) => (await tgi()).tgi(await tgiDeps(parts)) },
  { name: 'tgi-1.4', isOnRoot: false, load: async (parts) => (await tgi()).tgi14(await tgiDeps(parts)) },
  {
    name: 'jan',
    isOnRoot: true,
    load: async (parts) => (await jan()).janDialect({ ...parts, ...unknownOf(parts), clock: systemClock }),
  },
];

/** Loads every dialect. */
export function loadDialects(parts: DialectParts): Promise<readonly NamedDialect[]> {
  return Promise.all(
    DIALECTS.map(async ({ name, isOnRoot, load }) => ({ name, isOnRoot, dialect: await load(parts) })),
  );
}

/** Throws what the user should read when `--listen` names a dialect there is not. */
export function checkListen(settings: Settings): void {
  const names = DIALECTS.map(({ name }) => name);
  const wrong = settings.listen.find(({ dialect }) => !names.includes(dialect));
  if (wrong === undefined) return;
  throw new UserError(
    `Setting listen: there is no dialect "${wrong.dialect}"; there are ${names.join(', ')}.`,
  );
}
