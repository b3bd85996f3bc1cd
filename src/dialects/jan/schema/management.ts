// The wire bodies of the paths that manage models.

import { flag, nullable, oneOf, type ReadBy, text } from '../check/reader.js';
import { object, optional, required } from '../check/structure.js';

const name = optional(nullable(text), null);

/** POST /v1/models/pull. `id` and `name` are one thing under two names. */
export const pullBody = object({
  model: required(text),
  id: name,
  name,
  stream: optional(flag, false),
});

/** DELETE /v1/models/pull */
export const cancelBody = object({ taskId: required(text) });

/** POST /v1/models/start and /v1/models/stop */
export const modelBody = object({ model: required(text) });

/** POST /v1/models/import. A missing id has a refusal of its own. */
export const importBody = object({
  model: optional(nullable(text), null),
  modelPath: required(text),
  name,
  option: optional(nullable(oneOf('symlink', 'copy')), null),
});

/** PATCH /v1/models/{id}. `alias` and `name` are one thing; what is absent stays as it is. */
export const updateBody = object({
  name: optional<string | null | undefined>(nullable(text), undefined),
  alias: optional<string | null | undefined>(nullable(text), undefined),
});

export type PullBody = ReadBy<typeof pullBody>;
export type ImportBody = ReadBy<typeof importBody>;
export type UpdateBody = ReadBy<typeof updateBody>;
