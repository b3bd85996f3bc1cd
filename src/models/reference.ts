// What a user may write where a model is wanted, told apart without looking at any disk or network.

import { isAbsolute, resolve } from 'node:path';
import { KoineError } from '../protocol/index.js';

/** A model on the hub. */
export interface HubReference {
  readonly kind: 'hub';
  /** `org/repo`. */
  readonly repo: string;
  /** Quantisation asked for, upper case. */
  readonly quant?: string;
  /** Exact file asked for. */
  readonly file?: string;
}

export type ModelReference = { readonly kind: 'path'; readonly path: string } | HubReference;

const HUB = /^(?:hf:(?:\/\/)?|hf\.co\/|huggingface\.co\/|https:\/\/huggingface\.co\/)(.*)$/i;
const REPO = /^([\w.-]+\/[\w.-]+)(?::([^:]+))?$/;
/** What browsers show for a repository and its files, after the hub's own address. */
const PAGE = /^([\w.-]+\/[\w.-]+)\/(?:tree|resolve|blob|raw)\/([^/]+)(?:\/(.*))?$/;
const DEFAULT_ENDPOINT = 'https://huggingface.co';

/**
 * Reads a model argument: `hf:org/repo`, `hf:org/repo:Q4_K_M`, `hf:org/repo:file.gguf`, the same after `hf.co/`, the
 * address of a repository or of a file on the hub (`endpoint`), or a path, made absolute against `cwd`. Throws
 * `invalid_request` on an hf: reference of another form and on addresses elsewhere.
 */
export function parseReference(given: string, cwd: string, endpoint = DEFAULT_ENDPOINT): ModelReference {
  const hub = given.startsWith(`${endpoint}/`) ? given.slice(endpoint.length + 1) : HUB.exec(given)?.[1];
  if (hub !== undefined) return hubReference(given, hub);
  if (/^https?:\/\//i.test(given)) {
    throw new KoineError(
      'invalid_request',
      `${given} is not on ${endpoint}: download the file and give its path, or set HF_ENDPOINT to the hub it is on.`,
    );
  }
  return { kind: 'path', path: isAbsolute(given) ? given : resolve(cwd, given) };
}

function hubReference(given: string, hub: string): HubReference {
  if (PAGE.test(hub)) return pageReference(given, hub);
  const [, repo, tag] = REPO.exec(hub.replace(/\/$/, '')) ?? [];
  if (repo === undefined || !isRepo(repo)) {
    throw new KoineError(
      'invalid_request',
      `${given} is not a model: after hf: comes org/repo, and a quantisation or file after a colon if wanted.`,
    );
  }
  if (tag === undefined) return { kind: 'hub', repo };
  return /\.gguf$/i.test(tag)
    ? { kind: 'hub', repo, file: tag }
    : { kind: 'hub', repo, quant: tag.toUpperCase() };
}

/** The address of a file, `org/repo/resolve/main/model.gguf?download=true`, or of a repository, `org/repo/tree/main`. */
function pageReference(given: string, hub: string): HubReference {
  const [, repo = '', revision = '', place = ''] = PAGE.exec(hub.replace(/[?#].*$/, '')) ?? [];
  if (revision !== 'main') {
    throw new KoineError(
      'invalid_request',
      `${given}: only the revision main can be fetched, not ${revision}.`,
    );
  }
  const file = decoded(place);
  const isWhole = file === '' && hub.includes('/tree/');
  if (!isRepo(repo) || file === undefined || !(isWhole || /\.gguf$/i.test(file))) {
    throw new KoineError('invalid_request', `${given} is not the address of a GGUF file.`);
  }
  return isWhole ? { kind: 'hub', repo } : { kind: 'hub', repo, file };
}

function isRepo(repo: string): boolean {
  return !repo.split('/').some((part) => /^\.+$/.test(part));
}

function decoded(place: string): string | undefined {
  try {
    return decodeURIComponent(place);
  } catch {
    return undefined;
  }
}

/** The reference as a user would write it. */
export function showReference(reference: ModelReference): string {
  if (reference.kind === 'path') return reference.path;
  const tag = reference.file ?? reference.quant;
  return `hf:${reference.repo}${tag === undefined ? '' : `:${tag}`}`;
}
