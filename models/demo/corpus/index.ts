// Writes the corpus: `tsx models/demo/corpus/index.ts --seed 1 --documents 50000 [--out FILE] [--show]`;
// `--boost long-copy=8` draws that skill eight times as often.
// `--pairs` writes that many pairs of sentences for the embeddings instead.
// One JSON line per document: [skill, [[text, weight], ...]]. Command line only; the documents come from corpus.ts.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { boostedShares, type CorpusDocument, drawDocument } from './corpus.js';
import { drawPair } from './sentence-pairs.js';

const DOCUMENTS_PER_WRITE = 500;

function describe({ skill, pieces }: CorpusDocument): string {
  return `=== ${skill}\n${pieces.map(([text, weight]) => (weight === 1 ? text : `\u001b[2m${text}\u001b[0m`)).join('')}\n`;
}

function encode({ skill, pieces }: CorpusDocument): string {
  return `${JSON.stringify([skill, pieces])}\n`;
}

async function write(out: Writable, documents: number, draw: (index: number) => string): Promise<void> {
  for (let start = 0; start < documents; start += DOCUMENTS_PER_WRITE) {
    let chunk = '';
    const end = Math.min(documents, start + DOCUMENTS_PER_WRITE);
    for (let index = start; index < end; index += 1) chunk += draw(index);
    if (!out.write(chunk)) await once(out, 'drain');
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      documents: { type: 'string', default: '1000' },
      out: { type: 'string' },
      boost: { type: 'string', multiple: true, default: [] },
      pairs: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
    },
  });
  const out = values.out === undefined ? process.stdout : createWriteStream(values.out);
  const pairs = values.boost.map((pair) => pair.split('='));
  const shares = boostedShares(
    Object.fromEntries(pairs.map(([name, factor]) => [name ?? '', Number(factor)])),
  );
  const format = values.show ? describe : encode;
  const seed = Number(values.seed);
  const draw = (index: number): string =>
    values.pairs ? `${JSON.stringify(drawPair(seed, index))}\n` : format(drawDocument(seed, index, shares));
  await write(out, Number(values.documents), draw);
  if (out !== process.stdout) {
    out.end();
    await once(out, 'finish');
  }
}

await main();
