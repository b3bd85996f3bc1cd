// Decides who answers which path of a listener, before any socket is open. Pure.

import type { Method, Mount, Route } from './dialect.js';

/** A route where it is mounted. */
export interface Candidate {
  readonly mount: Mount;
  readonly route: Route;
}

/** All that happens at one path of a listener. */
export interface MountedPath {
  readonly path: string;
  /** Per method the candidates in order of their mounts; the first answers unless `claims` says otherwise. */
  readonly methods: ReadonlyMap<Method, readonly [Candidate, ...Candidate[]]>;
  /** The first mount that has the path: its dialect words the 405. */
  readonly owner: Candidate;
}

/** Collects the paths of all mounts. An earlier mount comes first where several have the same path. */
export function mountTable(mounts: readonly Mount[]): readonly MountedPath[] {
  const paths = new Map<string, { owner: Candidate; methods: Map<Method, [Candidate, ...Candidate[]]> }>();
  for (const mount of mounts) {
    for (const route of mount.dialect.routes) {
      const candidate = { mount, route };
      for (const path of placesOf(mount.prefix, route.path)) {
        const place = paths.get(path) ?? { owner: candidate, methods: new Map() };
        paths.set(path, place);
        const others = place.methods.get(route.method);
        if (others === undefined) place.methods.set(route.method, [candidate]);
        else others.push(candidate);
      }
    }
  }
  return [...paths].map(([path, place]) => ({ path, ...place }));
}

/** The mount whose dialect words a 404 for this path: the longest prefix that holds it, else the first at the root. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  let best: Mount | undefined;
  for (const mount of mounts) {
    const holds = mount.prefix === '' || path === mount.prefix || path.startsWith(`${mount.prefix}/`);
    if (holds && (best === undefined || mount.prefix.length > best.prefix.length)) best = mount;
  }
  return best ?? mounts[0];
}

/** Picks who answers a body. */
export function claimant(candidates: readonly [Candidate, ...Candidate[]], body: unknown): Candidate {
  if (candidates.length === 1) return candidates[0];
  return candidates.find(({ route }) => route.claims?.(body) ?? true) ?? candidates[0];
}

/** A mount's own root answers with and without the closing slash. */
function placesOf(prefix: string, path: string): readonly string[] {
  if (prefix === '') return [path];
  return path === '/' ? [prefix, `${prefix}/`] : [`${prefix}${path}`];
}
