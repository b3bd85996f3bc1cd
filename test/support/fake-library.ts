// A Library whose models are written down: what each call gives is fixed by the model it is asked about, so that the wire
// can be recorded. Nothing is fetched or loaded.

import {
  type ImportRequest,
  KoineError,
  type Library,
  type LibraryModel,
  type PullRequest,
} from '../../src/protocol/index.js';

const base = { aliases: [], sizeBytes: 6_000_000, changedAt: 1_700_000_000 } as const;

/** One model for each way a model can stand. */
const MODELS: readonly LibraryModel[] = [
  {
    ...base,
    id: 'fake-model',
    servedAs: 'fake-model',
    aliases: ['default'],
    files: 'complete',
    state: 'ready',
  },
  {
    ...base,
    id: 'acme:tiny:tiny-Q8_0.gguf',
    servedAs: 'acme:tiny:tiny-Q8_0.gguf',
    name: 'Tiny one',
    aliases: ['Tiny one', 'tiny-Q8_0'],
    files: 'complete',
    state: 'unloaded',
  },
  {
    ...base,
    id: 'acme:big:big.gguf',
    files: 'complete',
    problem: 'big.gguf needs about 60 GB; 8 GB may be used.',
  },
  {
    ...base,
    id: 'acme:new:new-00001-of-00002.gguf',
    files: 'downloading',
    changedAt: 0,
    download: {
      state: 'running',
      files: [
        { path: 'new-00001-of-00002.gguf', sizeBytes: 4_000_000, haveBytes: 4_000_000 },
        { path: 'new-00002-of-00002.gguf', sizeBytes: 2_000_000, haveBytes: 500_000 },
      ],
      message: 'ECONNRESET; trying again in 1 s',
    },
  },
  {
    ...base,
    id: 'acme:lost:lost.gguf',
    files: 'incomplete',
    changedAt: 0,
    download: {
      state: 'failed',
      files: [{ path: 'lost.gguf', sizeBytes: 6_000_000, haveBytes: 1000 }],
      message: 'hf:acme/lost:lost.gguf: download failed: ECONNRESET.',
    },
  },
];

/** The scripted library. Names that are no model's get `model_not_found`, `busy` gets `conflict`. */
export class FakeLibrary implements Library {
  /** Every call with what it was given, in order. */
  readonly calls: (readonly [name: string, ...given: unknown[]])[] = [];

  async list(): Promise<readonly LibraryModel[]> {
    return MODELS.filter(({ files }) => files === 'complete');
  }

  async get(model: string): Promise<LibraryModel> {
    return find(model);
  }

  async pull(request: PullRequest): Promise<LibraryModel> {
    this.calls.push(['pull', request]);
    return find(request.model);
  }

  async *follow(model: string): AsyncIterable<LibraryModel> {
    yield find(model);
    if (model !== 'acme:new:new-00001-of-00002.gguf') return;
    const { download: _, ...rest } = find(model);
    yield { ...rest, files: 'complete', servedAs: rest.id, state: 'unloaded', changedAt: 1_700_000_000 };
  }

  async cancelPull(model: string): Promise<LibraryModel> {
    this.calls.push(['cancelPull', model]);
    return find(model);
  }

  async import(request: ImportRequest): Promise<LibraryModel> {
    this.calls.push(['import', request]);
    if (request.path.startsWith('/no/')) {
      throw new KoineError('invalid_request', `${request.path}: no such file or folder.`);
    }
    return { ...base, id: request.id, files: 'complete' };
  }

  async start(model: string): Promise<LibraryModel> {
    this.calls.push(['start', model]);
    return find(model);
  }

  async stop(model: string): Promise<LibraryModel> {
    this.calls.push(['stop', model]);
    return find(model);
  }

  async rename(model: string, name: string | null): Promise<LibraryModel> {
    this.calls.push(['rename', model, name]);
    const { name: _, ...rest } = find(model);
    return name === null ? rest : { ...rest, name };
  }

  async remove(model: string): Promise<'deleted' | 'unlinked' | 'forgotten'> {
    this.calls.push(['remove', model]);
    const { id } = find(model);
    if (id === 'fake-model') return 'forgotten';
    return id === 'acme:big:big.gguf' ? 'unlinked' : 'deleted';
  }
}

function find(name: string): LibraryModel {
  if (name === 'busy') throw new KoineError('conflict', 'The model `busy` is in use: a request is running.');
  if (name === 'far') throw new KoineError('unavailable', 'Cannot reach https://hub.example (ENOTFOUND).');
  if (name === 'crowded') throw new KoineError('overloaded', undefined, { retryAfterSeconds: 4.2 });
  if (name === 'broken') throw new Error('a fault of the server with a secret in it');
  const found = MODELS.find(({ id, aliases }) => id === name || aliases.includes(name));
  if (found === undefined) throw new KoineError('model_not_found', `The model \`${name}\` does not exist.`);
  return found;
}
