// However a response is cut into pieces, the reader tells the same.

import { describe, expect, it } from 'vitest';
import { HttpReader } from './http-reader.js';

const STREAM =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '9\r\ndata: a\n\n\r\nc\r\ndata: [DONE]\r\n0\r\n\r\n';
const COUNTED = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\ncontent-length: 5\r\n\r\nwrong';
const EMPTY = 'HTTP/1.1 204 No Content\r\n\r\n';

function read(pieces: readonly string[]): string[] {
  const told: string[] = [];
  let body = '';
  const reader = new HttpReader({
    head: (status, isStream) => told.push(`${status} ${isStream ? 'stream' : 'plain'}`),
    piece: (bytes) => {
      body += bytes.toString('latin1');
    },
    end: (keepAlive) => {
      told.push(`${JSON.stringify(body)} ${keepAlive ? 'keep' : 'close'}`);
      body = '';
    },
  });
  for (const piece of pieces) reader.feed(Buffer.from(piece, 'latin1'));
  return told;
}

const EXPECTED = [
  '200 stream',
  '"data: a\\n\\ndata: [DONE]" keep',
  '204 plain',
  '"" keep',
  '400 plain',
  '"wrong" close',
];

describe('HttpReader', () => {
  it('reads responses that follow each other, whole or byte by byte', () => {
    const all = STREAM + EMPTY + COUNTED;
    expect(read([all])).toEqual(EXPECTED);
    expect(read([...all])).toEqual(EXPECTED);
  });

  it('reads them cut in two anywhere', () => {
    const all = STREAM + EMPTY + COUNTED;
    for (let cut = 1; cut < all.length; cut++)
      expect(read([all.slice(0, cut), all.slice(cut)])).toEqual(EXPECTED);
  });

  it('refuses what is no response', () => {
    expect(() => read(['SSH-2.0 hello\r\n\r\n'])).toThrow('not an HTTP/1.1 response');
  });
});
