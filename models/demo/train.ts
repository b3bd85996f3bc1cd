// The whole way from nothing to a GGUF file: corpus, tokenizer, encoded shards, training, export.
// `tsx models/demo/train.ts [--documents 330000] [--out FILE] [--from GGUF [--retokenize]] [training options]`;
// what it does not know goes to train.py.
// Work files live in KOINE_TRAIN_DIR (./.train if unset); KOINE_PYTHON names the Python that has requirements.txt installed.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const DOCUMENTS_PER_SHARD = 22_000;
const TOKENIZER_DOCUMENTS = 60_000;
const TOKENIZER_SEED = 900;
const FIRST_SHARD_SEED = 1000;
const SENTENCE_PAIRS = 50_000;
const PAIRS_SEED = 77;

// A CPU trainer that shares its machine must not spin while it waits, and keeps its memory blocks from step to step.
const TRAINING_ENVIRONMENT = {
  OMP_WAIT_POLICY: 'PASSIVE',
  GOMP_SPINCOUNT: '0',
  MALLOC_MMAP_THRESHOLD_: '4000000000',
  MALLOC_TRIM_THRESHOLD_: '8000000000',
};

// Copying is learned all at once or not at all, and calls, extraction and memory lean on it: so it comes first.
const COPYING_FIRST = ['--boost', 'long-copy=8', '--boost', 'repeat=3'];

const python = process.env['KOINE_PYTHON'] ?? 'python3';
const work = path.resolve(process.env['KOINE_TRAIN_DIR'] ?? '.train');
const tokenizer = path.join(work, 'tokenizer.json');
const start = path.join(work, 'start.pt');

function script(name: string): string {
  return path.join(HERE, 'training', name);
}

function finished(child: ChildProcess, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${what} ended with ${String(code)}`)),
    );
  });
}

function runPython(args: readonly string[]): Promise<void> {
  const child = spawn(python, args, { stdio: 'inherit', env: { ...process.env, ...TRAINING_ENVIRONMENT } });
  return finished(child, path.basename(args[0] ?? python));
}

function documentsOf(seed: number, documents: number): string[] {
  return ['--seed', String(seed), '--documents', String(documents)];
}

// The corpus never touches the disk as text: the generator writes into the Python script that needs it.
async function pipeCorpus(corpus: readonly string[], args: readonly string[]): Promise<void> {
  const generator = spawn(
    process.execPath,
    [...process.execArgv, path.join(HERE, 'corpus', 'index.ts'), ...corpus],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const consumer = spawn(python, args, { stdio: ['pipe', 'inherit', 'inherit'] });
  generator.stdout.pipe(consumer.stdin);
  await Promise.all([finished(generator, 'corpus'), finished(consumer, path.basename(args[0] ?? python))]);
}

async function makeTokenizer(): Promise<void> {
  if (!existsSync(tokenizer))
    await pipeCorpus(documentsOf(TOKENIZER_SEED, TOKENIZER_DOCUMENTS), [script('tokenizer.py'), tokenizer]);
}

// Shards of another tokenizer would not fit what comes out, so an empty work folder is wanted.
async function prepareStart(gguf: string, retokenize: boolean): Promise<void> {
  if (!retokenize) {
    await runPython([script('from_gguf.py'), gguf, work]);
    return;
  }
  const before = path.join(work, 'before');
  await runPython([script('from_gguf.py'), gguf, before]);
  await makeTokenizer();
  const pair = [path.join(before, 'start.pt'), path.join(before, 'tokenizer.json')];
  await runPython([script('retokenize.py'), ...pair, tokenizer, start]);
}

async function makePairs(): Promise<void> {
  const file = path.join(work, 'data', 'pairs.npz');
  if (existsSync(file)) return;
  mkdirSync(path.dirname(file), { recursive: true });
  const corpus = [...documentsOf(PAIRS_SEED, SENTENCE_PAIRS), '--pairs'];
  await pipeCorpus(corpus, [script('encode.py'), '--pairs', tokenizer, file]);
}

interface ShardWriting {
  /** Settles when the first shard can be trained on. */
  readonly first: Promise<void>;
  /** Settles when no shard is being written any more. */
  readonly all: Promise<void>;
  stop(): void;
}

// A GPU reads faster than it pays to wait: training starts with the first shard and the others appear beside it.
function writeShards(count: number): ShardWriting {
  const data = path.join(work, 'data');
  mkdirSync(data, { recursive: true });
  const waiting = Array.from({ length: count }, (_, shard) => shard);
  const writeNext = async (): Promise<boolean> => {
    const shard = waiting.shift();
    if (shard === undefined) return false;
    const file = path.join(data, `shard-${String(shard).padStart(4, '0')}.npz`);
    const encode = [script('encode.py'), tokenizer, file];
    const corpus = [
      ...documentsOf(FIRST_SHARD_SEED + shard, DOCUMENTS_PER_SHARD),
      ...(shard === 0 ? COPYING_FIRST : []),
    ];
    if (!existsSync(file)) await pipeCorpus(corpus, encode);
    return true;
  };
  const writeRest = async (): Promise<void> => {
    while (await writeNext());
  };
  const first = writeNext().then(() => undefined);
  const workers = Math.max(1, Math.floor(availableParallelism() / 2));
  const all = first.then(async () => {
    await Promise.all(Array.from({ length: workers }, writeRest));
  });
  return { first, all, stop: () => void waiting.splice(0) };
}

async function main(): Promise<void> {
  const { values, tokens } = parseArgs({
    options: {
      documents: { type: 'string', default: '330000' },
      out: { type: 'string', default: path.join(HERE, 'koine-demo-q8_0.gguf') },
      from: { type: 'string' },
      retokenize: { type: 'boolean' },
    },
    strict: false,
    tokens: true,
  });
  const own = new Set(['documents', 'out', 'from', 'retokenize']);
  const passedOn = tokens.flatMap((token) =>
    token.kind === 'option' && !own.has(token.name)
      ? [token.rawName, ...(token.value === undefined ? [] : [token.value])]
      : token.kind === 'positional'
        ? [token.value]
        : [],
  );
  mkdirSync(work, { recursive: true });
  if (values.from !== undefined) {
    await prepareStart(String(values.from), values.retokenize === true);
    passedOn.push('--resume', start);
  } else {
    await makeTokenizer();
  }
  await makePairs();
  const shards = writeShards(Math.ceil(Number(values.documents) / DOCUMENTS_PER_SHARD));
  await shards.first;
  const checkpoints = path.join(work, 'checkpoints');
  const data = path.join(work, 'data');
  await runPython([script('train.py'), '--data', data, '--out', checkpoints, ...passedOn]);
  shards.stop();
  await shards.all;
  await runPython([script('export.py'), path.join(checkpoints, 'final.pt'), tokenizer, String(values.out)]);
}

await main();
