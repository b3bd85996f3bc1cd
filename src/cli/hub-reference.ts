// The model argument of commands that are about downloads only.

import type { Settings } from '../config/index.js';
import { findNamed, type HubReference, parseHubId, parseReference } from '../models/index.js';
import { UserError } from './explain.js';
import { hubOf, modelsDirOf } from './resolve-options.js';

/** A reference to the hub, given as one or as the name of a downloaded model. Throws when the argument is a path. */
export function hubReference(given: string, settings: Settings): HubReference {
  const named = findNamed(modelsDirOf(settings), given);
  const { endpoint } = hubOf(settings);
  const byId = parseHubId(given);
  const ofHub = byId === undefined ? given : `hf:${byId.repo}:${byId.file}`;
  const reference = parseReference(named?.reference ?? ofHub, process.cwd(), endpoint);
  if (reference.kind === 'hub') return reference;
  throw new UserError(`${given} is not a model of the hub; write hf:org/repo or hf:org/repo:quant.`);
}
