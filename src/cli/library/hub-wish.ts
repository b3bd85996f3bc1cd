// What a client may write for a model of the hub.

import { type HubReference, listStored, parseHubId, parseReference } from '../../models/index.js';
import { KoineError } from '../../protocol/index.js';

/** `org/repo` or `org/repo:quant`, as some clients write it. */
const BARE_REPOSITORY = /^[\w.-]+\/[\w.-]+(:[^:]+)?$/;

/** Reads a reference, an address, an id, or the name of a model that came from the hub. Throws `invalid_request`. */
export function hubWish(given: string, modelsDir: string, endpoint: string): HubReference {
  const byId = parseHubId(given);
  if (byId !== undefined) return { kind: 'hub', ...byId };
  const named = listStored(modelsDir).find(({ name, origin }) => origin === 'hub' && name === given);
  const written = named?.reference ?? (BARE_REPOSITORY.test(given) ? `hf:${given}` : given);
  const reference = parseReference(written, '/', endpoint);
  if (reference.kind === 'hub') return reference;
  const message = `${given} is not a model of the hub: send hf:org/repo, hf:org/repo:quant or the address of a file.`;
  throw new KoineError('invalid_request', message);
}
