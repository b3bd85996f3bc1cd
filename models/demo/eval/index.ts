// Evaluates a running server: `tsx models/demo/eval/index.ts [--url URL] [--json FILE] [--stories FILE] [--failures]`.
// Prints a table of pass rates per row. All cases are held out: see corpus/heldout.ts and corpus/heldout-phrasings.ts.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Case } from './case.js';
import { allCases } from './cases/index.js';
import { STORY_ROW } from './cases/writing.js';
import { ask, firstModel, type Reply } from './client.js';
import { countRight, triples } from './embeddings.js';
import { formatTable, type Row, WANTED } from './table.js';

interface Outcome {
  readonly row: string;
  readonly shown: string;
  readonly reply: Reply;
  readonly right: boolean;
}

async function judge(url: string, model: string, entry: Case): Promise<Outcome> {
  try {
    const reply = await ask(url, model, entry.ask);
    return { row: entry.row, shown: entry.shown, reply, right: entry.isRight(reply) };
  } catch (error) {
    // A server that refuses one case (a malformed call, say) fails that case, not the evaluation.
    const text = error instanceof Error ? error.message : String(error);
    return {
      row: entry.row,
      shown: entry.shown,
      reply: { text, reasoning: '', calls: [], ended: false },
      right: false,
    };
  }
}

function rowsOf(outcomes: readonly Outcome[]): Row[] {
  return [...new Set(outcomes.map(({ row }) => row))].map((name) => {
    const own = outcomes.filter(({ row }) => row === name);
    return { name, right: own.filter(({ right }) => right).length, cases: own.length, wanted: WANTED[name] };
  });
}

async function embeddingRow(url: string, model: string): Promise<Row[]> {
  const cases = triples();
  const right = await countRight(url, model, cases);
  const name = 'embeddings: near-duplicate closer';
  return [{ name, right, cases: cases.length, wanted: WANTED[name] }];
}

function showReply({ text, reasoning, calls }: Reply): string {
  return JSON.stringify(
    [
      ...(reasoning === '' ? [] : [`(${reasoning})`]),
      text,
      ...calls.map(({ name, args }) => `${name}(${JSON.stringify(args)})`),
    ].join(' '),
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      model: { type: 'string' },
      json: { type: 'string' },
      stories: { type: 'string' },
      failures: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      'embeddings-url': { type: 'string' },
    },
  });
  const url = values.url.replace(/\/$/, '');
  const model = values.model ?? (await firstModel(url).catch(() => undefined));
  if (model === undefined) {
    console.error(`There is no server at ${url}. Start one with \`npm start\`, or name another with --url.`);
    process.exitCode = 2;
    return;
  }
  const all = allCases();
  const outcomes: Outcome[] = [];
  for (const entry of all) {
    if (!entry.row.includes(values.only)) continue;
    const outcome = await judge(url, model, entry);
    outcomes.push(outcome);
    if (values.failures && !outcome.right)
      console.log(`FAIL ${outcome.row} | ${JSON.stringify(outcome.shown)} -> ${showReply(outcome.reply)}`);
  }
  const rows = rowsOf(outcomes);
  if (values['embeddings-url'] !== undefined)
    rows.push(...(await embeddingRow(values['embeddings-url'].replace(/\/$/, ''), model)));
  console.log(formatTable(rows));
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ model, rows, outcomes }, null, 1)}\n`);
  if (values.stories !== undefined) {
    const told = outcomes
      .filter(({ row }) => row === STORY_ROW)
      .map(({ shown, reply }, i) => `${i + 1}. ${shown}\n${reply.text}\n`);
    writeFileSync(values.stories, told.join('\n'));
  }
}

await main();
