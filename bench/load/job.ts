// What the load process is told and what it answers. Plain data that crosses between the processes.

/** A list of requests, sent by a number of clients that each take the next one when theirs has ended. */
export interface LoadJob {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** JSON bodies. */
  readonly bodies: readonly string[];
  /** Connections, each with one request at a time. */
  readonly clients: number;
  /** Report when each event arrived. */
  readonly eventTimes: boolean;
  /** Milliseconds after the start at which request i may be sent; absent = at once. */
  readonly notBeforeMs?: readonly number[];
}

/** What became of one request. Times are milliseconds since the job began. */
export interface RequestRecord {
  readonly index: number;
  readonly sentMs: number;
  /** First event with text in it; NaN when there was none. */
  readonly firstMs: number;
  readonly endMs: number;
  /** Events with `data:`, the closing one included. */
  readonly events: number;
  /** Times it was sent again because the kept connection had been closed without notice. */
  readonly resends: number;
  /** As the server reports them in `usage`; 0 when it does not. */
  readonly promptTokens: number;
  readonly newTokens: number;
  /** Prompt tokens the server did not have to compute, as it reports them. */
  readonly cachedTokens: number;
  /** Absent when the request went well. */
  readonly error?: string;
  readonly eventMs?: readonly number[];
  /** The whole text of the reply, when it was short enough to keep. */
  readonly tail: string;
}

export interface LoadResult {
  readonly records: readonly RequestRecord[];
  /** Seconds of CPU the load process itself used. */
  readonly cpuSeconds: number;
}
