// Permanent ids of the models in the folder: `org:repo:file.gguf` for one of the hub, the chosen one for one that was
// imported. Pure.

/** Where imported models are, one folder for each; no repository of a hub can be called so. */
export const IMPORTED = '@imported';

const HUB_ID = /^([\w.-]+):([\w.-]+):(.+\.gguf)$/i;
const IMPORT_ID = /^[A-Za-z0-9][\w./:-]{0,199}$/;

/** The id of a file of a repository. */
export function hubId(repo: string, file: string): string {
  return `${repo.replace('/', ':')}:${file}`;
}

/** The repository and file of such an id; undefined for anything else. */
export function parseHubId(id: string): { readonly repo: string; readonly file: string } | undefined {
  const [, org, repo, file] = HUB_ID.exec(id) ?? [];
  const isSafe = file !== undefined && !file.split(/[/\\]/).some((part) => part === '..');
  return isSafe && isPlain(org) && isPlain(repo) ? { repo: `${org}/${repo}`, file } : undefined;
}

/** Whether an imported model can have this id: a name, or one in folders (`org/name`), or with a tag (`name:tag`). */
export function isImportId(id: string): boolean {
  const isReference = /^(hf|https?):/i.test(id) || HUB_ID.test(id);
  return IMPORT_ID.test(id) && !isReference && id.split('/').every(isPlain);
}

/** What the folder of an imported model is called. */
export function importFolder(id: string): string {
  return encodeURIComponent(id);
}

/** A model of the folder by its path in it, with forward slashes. */
export interface StoredId {
  readonly origin: 'hub' | 'imported';
  readonly id: string;
  /** As `koine serve` takes it. */
  readonly reference: string;
}

/** What the file at a path in the folder is; undefined where no model is kept. */
export function storedId(path: string): StoredId | undefined {
  const [org = '', repo = '', ...rest] = path.split('/');
  if (rest.length === 0) return undefined;
  if (org === IMPORTED) {
    const id = decoded(repo);
    return id === undefined ? undefined : { origin: 'imported', id, reference: id };
  }
  const file = rest.join('/');
  return { origin: 'hub', id: hubId(`${org}/${repo}`, file), reference: `hf:${org}/${repo}:${file}` };
}

function isPlain(part: string | undefined): boolean {
  return part !== undefined && part !== '' && !/^\.+$/.test(part);
}

function decoded(folder: string): string | undefined {
  try {
    const id = decodeURIComponent(folder);
    return isImportId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
