// The model argument of commands that are about downloads only.

import { type HubReference, parseReference } from '../models/index.js';
import { UserError } from './explain.js';

/** A reference to the hub. Throws when the argument is a path. */
export function hubReference(given: string): HubReference {
  const reference = parseReference(given, process.cwd());
  if (reference.kind === 'hub') return reference;
  throw new UserError(`${given} is not a model of the hub; write hf:org/repo or hf:org/repo:quant.`);
}
