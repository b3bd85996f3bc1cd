// The paths that manage models while the server runs, as the engine server that came with Jan had them. The contract has
// none of this: it is there only where the operator wants it, and its errors are one message.

import type { Exchange, Route } from '../../http/index.js';
import {
  type Failure,
  KoineError,
  type Library,
  type LibraryModel,
  toFailure,
} from '../../protocol/index.js';
import { InvalidBody, refused } from './check/fault.js';
import { readBody } from './check/structure.js';
import { libraryModel, taskObject } from './encode/library-model.js';
import { statusOf } from './errors.js';
import {
  cancelBody,
  type ImportBody,
  importBody,
  modelBody,
  type PullBody,
  pullBody,
  type UpdateBody,
  updateBody,
} from './schema/management.js';

/** Models that may be managed, and by whom. */
export interface Management {
  readonly library: Library;
  /** Whether a web page of this origin may manage models; every request that names none may. */
  readonly admitsOrigin: (origin: string) => boolean;
}

type Handler = (exchange: Exchange, library: Library) => Promise<void>;
/** A path, and what it does where models are managed. */
type Place = Pick<Route, 'method' | 'path'> & { readonly work: Handler; readonly hasBody: boolean };

const MODEL = '/v1/models/*';
const PULL = '/v1/models/pull';
/** Milliseconds between two reports of a download. */
const REPORT_MS = 1000;

const REMOVED = {
  deleted: 'was deleted',
  unlinked: 'was taken out; the file it was imported from stays',
  forgotten: 'is forgotten until the server starts again; its file stays',
} as const;

const PLACES: readonly Place[] = [
  { method: 'POST', path: PULL, work: pull, hasBody: true },
  { method: 'DELETE', path: PULL, work: cancel, hasBody: true },
  { method: 'POST', path: '/v1/models/import', work: importFile, hasBody: true },
  { method: 'POST', path: '/v1/models/start', work: start, hasBody: true },
  { method: 'POST', path: '/v1/models/stop', work: stop, hasBody: true },
  { method: 'GET', path: MODEL, work: show, hasBody: false },
  { method: 'PATCH', path: MODEL, work: update, hasBody: true },
  { method: 'DELETE', path: MODEL, work: remove, hasBody: false },
];

/** All of them; without management they say how to have it. */
export function managementRoutes(management: Management | undefined): readonly Route[] {
  return PLACES.map(({ method, path, work, hasBody }) =>
    management === undefined
      ? { method, path, body: 'none', handle: sayHow }
      : {
          method,
          path,
          body: hasBody ? 'json' : 'none',
          handle: (exchange) => answerSafely(exchange, management, work),
        },
  );
}

/** To GET the answer is the contract's, which has no such path; the others are asked only by who means them. */
function sayHow(exchange: Exchange): void {
  const message = 'Models are managed over HTTP only where the server was started with --manage-models.';
  const isGet = exchange.method === 'GET' || exchange.method === 'HEAD';
  exchange.sendJson(404, { detail: 'Not Found', ...(!isGet && { message }) });
}

/** Lets in who may, and words what goes wrong. */
async function answerSafely(exchange: Exchange, management: Management, work: Handler): Promise<void> {
  const { origin } = exchange.headers;
  if (origin !== undefined && !management.admitsOrigin(origin)) {
    const message = `Pages of ${origin} may not manage models: name it with --cors-origin, or set an --api-key.`;
    exchange.sendJson(403, { message });
    return;
  }
  try {
    await work(exchange, management.library);
  } catch (error) {
    if (error instanceof InvalidBody) throw error;
    const failure = failureOf(exchange, error);
    const seconds = failure.details?.retryAfterSeconds;
    if (seconds !== undefined) exchange.setHeader('retry-after', String(Math.max(1, Math.ceil(seconds))));
    exchange.sendJson(statusOf(failure.code), { message: failure.message });
  }
}

/** What went wrong; a fault of the server is logged, because its answer does not tell it. */
function failureOf(exchange: Exchange, error: unknown): Failure {
  const failure = toFailure(error);
  if (failure.code === 'internal') exchange.log.error({ err: error }, 'managing a model failed');
  return failure;
}

async function show(exchange: Exchange, library: Library): Promise<void> {
  exchange.sendJson(200, libraryModel(await library.get(exchange.param('*'))));
}

async function pull(exchange: Exchange, library: Library): Promise<void> {
  const body = readBody(pullBody, exchange.body);
  const name = nameOf(body);
  const model = await library.pull({ model: body.model, ...(name !== null && { name }) });
  if (body.stream) {
    await report(exchange, library, model);
    return;
  }
  const message =
    model.files === 'complete' ? `${model.id} is there already.` : `The download of ${model.id} has begun.`;
  exchange.sendJson(200, { message, task: taskObject(model) });
}

/** Tells how a download goes, until it is over. Who stops listening does not end it. */
async function report(exchange: Exchange, library: Library, { id }: LibraryModel): Promise<void> {
  const stream = exchange.openSse({ comment: ': ping\n\n', headers: { 'cache-control': 'no-store' } });
  const end = (message: string): void => stream.end(`data: ${JSON.stringify({ message })}\n\n`);
  let last: LibraryModel | undefined;
  try {
    const models = library.follow(id, REPORT_MS, exchange.signal)[Symbol.asyncIterator]();
    await stream.pump(models, (model) => {
      last = model;
      return `data: ${JSON.stringify(libraryModel(model))}\n\n`;
    });
  } catch (error) {
    end(failureOf(exchange, error).message);
    return;
  }
  if (last?.files === 'complete') stream.end('data: [DONE]\n\n');
  else end(last?.download?.message ?? 'The download was ended before the model was complete.');
}

async function cancel(exchange: Exchange, library: Library): Promise<void> {
  const { taskId } = readBody(cancelBody, exchange.body);
  const model = await library.cancelPull(taskId);
  const message = `The download of ${model.id} was ended; pulling it again continues it.`;
  exchange.sendJson(200, { message, taskId: model.id });
}

async function importFile(exchange: Exchange, library: Library): Promise<void> {
  const body = readBody(importBody, exchange.body);
  try {
    const model = await library.import(importRequest(body));
    const message = `The model ${model.id} was imported.`;
    exchange.sendJson(200, { message, modelHandle: model.id, result: 'OK' });
  } catch (error) {
    if (!(error instanceof KoineError)) throw error;
    throw new KoineError(error.code, `The model cannot be imported: ${error.message}`, error.details, error);
  }
}

function importRequest({ model, modelPath, name, option }: ImportBody) {
  if (model === null || model === '') {
    throw new KoineError('conflict', 'it needs an id, sent as `model`.');
  }
  if (PLACES.some(({ path }) => path === `/v1/models/${model}`)) {
    throw new KoineError('invalid_request', `\`${model}\` is a path of its own; choose another id.`);
  }
  const how = option === 'copy' ? ('copy' as const) : ('link' as const);
  return { id: model, path: modelPath, how, ...(name !== null && { name }) };
}

async function start(exchange: Exchange, library: Library): Promise<void> {
  const { model } = readBody(modelBody, exchange.body);
  const { id } = await library.start(model, exchange.signal);
  exchange.sendJson(200, { message: `The model ${id} is loaded.` });
}

async function stop(exchange: Exchange, library: Library): Promise<void> {
  const { model } = readBody(modelBody, exchange.body);
  const { id } = await library.stop(model);
  exchange.sendJson(200, { message: `The model ${id} is unloaded; the next request for it loads it again.` });
}

async function update(exchange: Exchange, library: Library): Promise<void> {
  const body = readBody(updateBody, exchange.body);
  const asked = exchange.param('*');
  const name = newNameOf(body);
  const model = name === undefined ? await library.get(asked) : await library.rename(asked, name);
  exchange.sendJson(200, { message: `The model ${model.id} is updated.`, model: libraryModel(model) });
}

async function remove(exchange: Exchange, library: Library): Promise<void> {
  const asked = exchange.param('*');
  const { id } = await library.get(asked);
  const done = await library.remove(asked);
  exchange.sendJson(200, { message: `The model ${id} ${REMOVED[done]}.` });
}

function nameOf({ id, name }: PullBody): string | null {
  if (id !== null && name !== null && id !== name) {
    throw refused(['id'], 'Input should be the same as name, or only one of them should be sent', id);
  }
  return name ?? id;
}

function newNameOf({ name, alias }: UpdateBody): string | null | undefined {
  if (alias !== undefined && name !== undefined && alias !== name) {
    throw refused(['alias'], 'Input should be the same as name, or only one of them should be sent', alias);
  }
  return name === undefined ? alias : name;
}
