// A managed model as it is sent: the contract's four fields of a model, and what there is to know beside them.

import type { Download, LibraryModel } from '../../../protocol/index.js';

const STATUS = { complete: 'downloaded', downloading: 'downloading', incomplete: 'incomplete' } as const;

/** GET /v1/models/{id} */
export function libraryModel(model: LibraryModel) {
  const { id, servedAs, name, aliases, files, sizeBytes, changedAt, state, problem, download } = model;
  return {
    id: servedAs ?? id,
    object: 'model',
    owned_by: 'me',
    permissions: [],
    created: changedAt,
    permission: [],
    model: id,
    name: name ?? null,
    aliases,
    status: STATUS[files],
    state: state ?? null,
    size: sizeBytes,
    ...(problem !== undefined && { problem }),
    ...(download !== undefined && { download: downloadObject(download) }),
  };
}

/** GET /v1/models */
export function libraryList(models: readonly LibraryModel[]) {
  return { object: 'list', data: models.map(libraryModel) };
}

/** A download as a task: its id is the model's. */
export function taskObject({ id, download, sizeBytes }: LibraryModel) {
  const items = download?.files.map(({ path, sizeBytes: bytes, haveBytes }) => ({
    id: path,
    bytes,
    downloadedBytes: haveBytes,
  }));
  return {
    id,
    type: 'Model',
    status: download?.state ?? 'done',
    items: items ?? [{ id, bytes: sizeBytes, downloadedBytes: sizeBytes }],
  };
}

function downloadObject({ state, files, message }: Download) {
  return {
    status: state,
    bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    downloadedBytes: files.reduce((sum, { haveBytes }) => sum + haveBytes, 0),
    ...(message !== undefined && { message }),
  };
}
