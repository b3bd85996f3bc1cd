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

/**
 * Reads a model argument: `hf:org/repo`, `hf:org/repo:Q4_K_M`, `hf:org/repo:file.gguf`, the same after `hf.co/`,
 * or a path, made absolute against `cwd`. Throws `invalid_request` on an hf: reference of another form.
 */
export function parseReference(given: string, cwd: string): ModelReference {
  const hub = HUB.exec(given)?.[1];
  if (hub === undefined) return { kind: 'path', path: isAbsolute(given) ? given : resolve(cwd, given) };
  const [, repo, tag] = REPO.exec(hub) ?? [];
  if (repo === undefined || repo.split('/').some((part) => /^\.+$/.test(part))) {
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

/** The reference as a user would write it. */
export function showReference(reference: ModelReference): string {
  if (reference.kind === 'path') return reference.path;
  const tag = reference.file ?? reference.quant;
  return `hf:${reference.repo}${tag === undefined ? '' : `:${tag}`}`;
}
