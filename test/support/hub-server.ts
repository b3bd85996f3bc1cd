// A stand-in for the model hub on 127.0.0.1: lists a repository's files and serves them with ranges and ETags. Can be
// told to misbehave as networks and hubs do.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** How the next requests go wrong. Counters count down. */
export interface Faults {
  /** Cut this many file transfers after `cutAfterBytes`. */
  cuts: number;
  cutAfterBytes: number;
  /** Stop sending in the middle of this many transfers, without closing. */
  stalls: number;
  /** Answer this many requests of any kind with `status`. */
  refusals: number;
  status: number;
  /** Serve whole files whatever range is asked for. */
  ignoreRanges: boolean;
  /** Announce a checksum that the content does not have. */
  wrongChecksum: boolean;
  etag: string;
}

/** One request for a file, as it arrived. */
export interface FileRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly authorization: string | undefined;
}

export class HubServer implements AsyncDisposable {
  readonly faults: Faults = {
    cuts: 0,
    cutAfterBytes: 0,
    stalls: 0,
    refusals: 0,
    status: 500,
    ignoreRanges: false,
    wrongChecksum: false,
    etag: '"v1"',
  };
  readonly requests: FileRequest[] = [];
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  /** The only repository there is. */
  readonly repo = 'acme/tiny-GGUF';
  endpoint = '';

  private constructor(files: Readonly<Record<string, Buffer>>) {
    this.#files = new Map(Object.entries(files));
  }

  static async start(files: Readonly<Record<string, Buffer>>): Promise<HubServer> {
    const hub = new HubServer(files);
    await new Promise<void>((resolve) => hub.#server.listen(0, '127.0.0.1', resolve));
    const address = hub.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    hub.endpoint = `http://127.0.0.1:${address.port}`;
    return hub;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.faults.refusals > 0) {
      this.faults.refusals -= 1;
      response.writeHead(this.faults.status).end('{}');
      return;
    }
    const url = new URL(request.url ?? '/', this.endpoint);
    if (url.pathname.startsWith(`/api/models/${this.repo}/tree/main`)) {
      this.#list(response);
      return;
    }
    const prefix = `/${this.repo}/resolve/main/`;
    const path = decodeURIComponent(url.pathname.slice(prefix.length));
    const content = url.pathname.startsWith(prefix) ? this.#files.get(path) : undefined;
    if (content === undefined) {
      response.writeHead(404).end('{}');
      return;
    }
    const { range, 'if-range': ifRange, authorization } = request.headers;
    this.requests.push({ path, range, ifRange: ifRange?.toString(), authorization });
    this.#send(response, content, range, ifRange?.toString());
  }

  #list(response: ServerResponse): void {
    const entries = [...this.#files].map(([path, content]) => {
      const hash = createHash('sha256').update(content).digest('hex');
      const oid = this.faults.wrongChecksum ? '0'.repeat(64) : hash;
      return {
        type: 'file',
        path,
        size: content.length,
        oid: 'x',
        lfs: { oid, size: content.length, pointerSize: 130 },
      };
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(entries));
  }

  #send(
    response: ServerResponse,
    content: Buffer,
    range: string | undefined,
    ifRange: string | undefined,
  ): void {
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const isPartial =
      from > 0 && !this.faults.ignoreRanges && (ifRange === undefined || ifRange === this.faults.etag);
    const body = isPartial ? content.subarray(from) : content;
    response.writeHead(isPartial ? 206 : 200, {
      etag: this.faults.etag,
      'content-length': body.length,
      ...(isPartial ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
    });
    const isCut = this.faults.cuts > 0;
    const isStalled = !isCut && this.faults.stalls > 0;
    if (!isCut && !isStalled) {
      response.end(body);
      return;
    }
    if (isCut) this.faults.cuts -= 1;
    else this.faults.stalls -= 1;
    response.write(body.subarray(0, this.faults.cutAfterBytes), () => isCut && response.destroy());
  }
}
