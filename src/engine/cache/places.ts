// Who holds which sequence id of the runner, and what KV still lies in the free ones. Owns every KV move: out to the
// prefix cache, back in, out for a swap. Engine process.
//
// A place is a sequence id. It is running (held), resident (free, but with KV that a later request may want) or
// empty. Positions of a place's KV are always the half-open range [0, kept). Invariant, checked by `audit`:
// empty + resident + running = all places; cells of each sum up likewise.

import type { KvBlock, ModelRunner } from '../model-runner.js';
import type { PrefixCache } from './prefix-cache.js';

/** Fewer shared tokens than this are computed again: moving KV has a cost of its own. */
const MIN_REUSE = 16;

/** What a place needs to know of a sequence that holds it. */
export interface Tenant {
  /** Prompt and output so far. */
  readonly tokens: Int32Array;
  readonly length: number;
  /** Positions whose KV is in place. */
  computed: number;
  place: number;
  /** Keeps KV of different adapters apart. */
  readonly scope: string;
  readonly usePrefixCache: boolean;
}

interface Place {
  readonly id: number;
  tenant: Tenant | undefined;
  /** KV left behind by the last tenant. */
  tokens: Int32Array;
  kept: number;
  scope: string;
  lastUsed: number;
}

/** How a tenant came by its first `tokens` positions. */
export interface Seating {
  readonly place: number;
  readonly reused: number;
}

/** Counts of places and cells by state. */
export interface PlaceAudit {
  readonly empty: number;
  readonly resident: number;
  readonly running: number;
  readonly total: number;
  readonly cells: {
    readonly running: number;
    readonly cached: number;
    readonly free: number;
    readonly total: number;
  };
}

/** The table of places of one runner. */
export class Places {
  readonly #runner: ModelRunner;
  readonly #cache: PrefixCache;
  readonly #sharesPrefixes: boolean;
  readonly #places: Place[];
  #tick = 0;

  /** `sharesPrefixes`: whether a tenant may have what another has left. */
  constructor(runner: ModelRunner, cache: PrefixCache, sharesPrefixes: boolean) {
    this.#runner = runner;
    this.#cache = cache;
    this.#sharesPrefixes = sharesPrefixes;
    this.#places = Array.from({ length: runner.info.maxSequences }, (_, id) => ({
      id,
      tenant: undefined,
      tokens: new Int32Array(0),
      kept: 0,
      scope: '',
      lastUsed: 0,
    }));
  }

  /** Whether a sequence id is free. */
  hasFree(): boolean {
    return this.#places.some((place) => place.tenant === undefined);
  }

  /** Free places whose KV ends at most at `longest`, and where it ends. */
  spare(longest: number): { place: number; position: number }[] {
    return this.#places
      .filter(({ tenant, kept }) => tenant === undefined && kept <= longest)
      .map(({ id, kept }) => ({ place: id, position: kept }));
  }

  /**
   * Gives a free place to a tenant and puts as much of its prefix there as is known: from the place itself when it
   * still holds the longest match, else from the prefix cache. At most `length - 1` positions, so that at least one
   * token is computed. There must be a free place.
   */
  seat(tenant: Tenant, mayReuse: boolean): Seating {
    const limit = mayReuse && tenant.usePrefixCache ? tenant.length - 1 : 0;
    const resident = this.#longestResident(tenant, limit);
    const cached = limit > 0 ? this.#cache.peek(tenant.scope, tenant.tokens, limit) : 0;
    if (resident !== undefined && resident.match >= MIN_REUSE && resident.match >= cached) {
      return this.#take(resident.place, tenant, resident.match);
    }
    const place = this.#leastValuable();
    this.#vacate(place);
    if (cached < MIN_REUSE) return this.#take(place, tenant, 0);
    return this.#take(place, tenant, this.#load(place, tenant, limit));
  }

  /** Puts a block that another sequence gave away into a free place, for a tenant with the same first tokens. */
  seatWith(tenant: Tenant, blocks: readonly KvBlock[], positions: number): Seating | undefined {
    const place = this.#leastValuable();
    this.#vacate(place);
    if (!this.#runner.importKv(place.id, blocks)) return undefined;
    this.#runner.removeKv(place.id, positions, -1);
    place.kept = positions;
    return this.#take(place, tenant, positions);
  }

  /**
   * Copies the first positions of a running tenant into the prefix cache, where others can take them from. False
   * when the cache has no room for them.
   */
  share(tenant: Tenant, positions: number): boolean {
    this.#cache.insert(tenant.scope, tenant.tokens, positions, (from, to) =>
      this.#runner.exportKv(tenant.place, from, to),
    );
    return this.#cache.peek(tenant.scope, tenant.tokens, positions) === positions;
  }

  /** Ends a tenancy. The KV stays in the place until somebody else needs it. */
  leave(tenant: Tenant): void {
    const place = this.#placeOf(tenant);
    place.tenant = undefined;
    place.tokens = tenant.tokens;
    place.kept = tenant.computed;
    place.scope = tenant.scope;
    place.lastUsed = ++this.#tick;
    tenant.place = -1;
    if (!this.#sharesPrefixes || !tenant.usePrefixCache) this.#clear(place);
  }

  /** Ends a tenancy and throws its KV away: what a failed decode left behind is not to be trusted. */
  discard(tenant: Tenant): void {
    const place = this.#placeOf(tenant);
    place.tenant = undefined;
    tenant.place = -1;
    this.#clear(place);
  }

  /** Throws away what lies in a place, whoever holds it: a tenant computes it again. */
  forget(id: number): void {
    const place = this.#places[id];
    if (place === undefined) return;
    this.#clear(place);
    if (place.tenant !== undefined) place.tenant.computed = 0;
  }

  /** Takes a tenant's KV out to host memory and frees its place. `computed` stays: the block holds that much. */
  swapOut(tenant: Tenant): KvBlock | undefined {
    const place = this.#placeOf(tenant);
    const block = tenant.computed > 0 ? this.#runner.exportKv(place.id, 0, tenant.computed) : undefined;
    place.tenant = undefined;
    tenant.place = -1;
    this.#clear(place);
    return block;
  }

  /** Moves a running tenant to a free place, so that running places lie side by side. False: it stays where it is. */
  relocate(tenant: Tenant, to: number): boolean {
    const target = this.#places[to];
    if (target === undefined || target.tenant !== undefined) return false;
    const source = this.#placeOf(tenant);
    const block = tenant.computed > 0 ? this.#runner.exportKv(source.id, 0, tenant.computed) : undefined;
    this.#vacate(target);
    if (block !== undefined && !this.#runner.importKv(target.id, [block])) return false;
    source.tenant = undefined;
    this.#clear(source);
    target.tenant = tenant;
    tenant.place = target.id;
    return true;
  }

  /** Frees cells of residents, least recently used first, until `cells` are free (unified pool). */
  evictResidents(cells: number): void {
    while (this.audit().cells.free < cells) {
      const oldest = this.#oldestResident();
      if (oldest === undefined) return;
      this.#vacate(oldest);
    }
  }

  /** Forgets every resident and the prefix cache. */
  clear(): void {
    for (const place of this.#places) if (place.tenant === undefined) this.#clear(place);
    this.#cache.clear();
  }

  audit(): PlaceAudit {
    let empty = 0;
    let resident = 0;
    let runningCells = 0;
    let cachedCells = 0;
    for (const place of this.#places) {
      if (place.tenant !== undefined) runningCells += place.tenant.computed;
      else if (place.kept > 0) {
        resident++;
        cachedCells += place.kept;
      } else empty++;
    }
    const total = this.#runner.info.totalCells;
    return {
      empty,
      resident,
      running: this.#places.length - empty - resident,
      total: this.#places.length,
      cells: { running: runningCells, cached: cachedCells, free: total - runningCells - cachedCells, total },
    };
  }

  #take(place: Place, tenant: Tenant, reused: number): Seating {
    if (place.kept > reused) {
      this.#save(place, reused);
      this.#runner.removeKv(place.id, reused, -1);
    }
    place.kept = 0;
    place.tenant = tenant;
    tenant.place = place.id;
    tenant.computed = reused;
    return { place: place.id, reused };
  }

  /** Fills an empty place from the prefix cache; returns the positions now in place. */
  #load(place: Place, tenant: Tenant, limit: number): number {
    const handle = this.#cache.match(tenant.scope, tenant.tokens, limit);
    try {
      if (!this.#runner.importKv(place.id, handle.blocks)) return 0;
      this.#runner.removeKv(place.id, handle.length, -1);
      return handle.length;
    } finally {
      handle.release();
    }
  }

  #longestResident(tenant: Tenant, limit: number): { place: Place; match: number } | undefined {
    let best: { place: Place; match: number } | undefined;
    for (const place of this.#places) {
      if (place.tenant !== undefined || place.kept === 0 || place.scope !== tenant.scope) continue;
      const match = commonPrefix(place.tokens, tenant.tokens, Math.min(place.kept, limit));
      // A state that cannot be cut can only be continued from where it is.
      if (match < place.kept && !this.#runner.info.canMoveKv) continue;
      if (best === undefined || match > best.match) best = { place, match };
    }
    return best;
  }

  /**
   * The free place to give away: empty before resident. Among empty ones the lowest, so that running places lie side
   * by side: llama.cpp computes neighbouring streams in one pass and needs another for each gap.
   */
  #leastValuable(): Place {
    const empty = this.#places.find((place) => place.tenant === undefined && place.kept === 0);
    const chosen = empty ?? this.#oldestResident();
    if (chosen === undefined) throw new Error('no free place: seat was called without asking hasFree');
    return chosen;
  }

  #oldestResident(): Place | undefined {
    let oldest: Place | undefined;
    for (const place of this.#places) {
      if (place.tenant !== undefined || place.kept === 0) continue;
      if (oldest === undefined || place.lastUsed < oldest.lastUsed) oldest = place;
    }
    return oldest;
  }

  #vacate(place: Place): void {
    if (place.kept === 0) return;
    this.#save(place, 0);
    this.#clear(place);
  }

  /** Puts a resident's KV into the prefix cache, if more than `shared` positions of it would otherwise be lost. */
  #save(place: Place, shared: number): void {
    if (place.kept - shared < MIN_REUSE) return;
    this.#cache.insert(place.scope, place.tokens, place.kept, (from, to) =>
      this.#runner.exportKv(place.id, from, to),
    );
  }

  #clear(place: Place): void {
    this.#runner.removeKv(place.id, 0, -1);
    place.kept = 0;
    place.tokens = new Int32Array(0);
  }

  #placeOf(tenant: Tenant): Place {
    const place = this.#places[tenant.place];
    if (place?.tenant !== tenant) throw new Error('the sequence does not hold the place it names');
    return place;
  }
}

/** Number of leading tokens two sequences share, at most `limit`. */
export function commonPrefix(a: Int32Array, b: Int32Array, limit: number): number {
  const end = Math.min(limit, a.length, b.length);
  let same = 0;
  while (same < end && a[same] === b[same]) same++;
  return same;
}
