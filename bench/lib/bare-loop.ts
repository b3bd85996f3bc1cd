// The bare decode loop: the same library, threads and batches as the engine, and nothing else. It is what the
// engine is measured against. A process of its own, because decode calls block.

import { type ChildProcess, fork } from 'node:child_process';
import { createLlamaRunner } from '../../src/native/index.js';
import { ask } from './ask.js';
import { promptTokens } from './prompts.js';

/** What to run. */
export interface BareJob {
  readonly model: string;
  readonly sequences: number;
  readonly contextPerSequence: number;
  readonly batchTokens: number;
  readonly threads: number;
  /** Prompt tokens per sequence. */
  readonly prompt: number;
  /** Tokens to generate per sequence. */
  readonly newTokens: number;
}

/** One round's figures. */
export interface BareRound {
  /** Prompt tokens per second, from nothing to the last sequence's first token. */
  readonly prefill: number;
  /** New tokens per second after that. */
  readonly decode: number;
}

/** The loop in a child process, its model loaded once. */
export class BareLoop implements Disposable {
  readonly #child: ChildProcess;

  constructor(job: BareJob) {
    this.#child = fork(import.meta.filename, { execArgv: ['--import', 'tsx'] });
    this.#child.send(job);
  }

  /** Prefills and decodes once; the first round is slower than the others. */
  async round(): Promise<BareRound> {
    return (await ask(this.#child, 'round')) as BareRound;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

function best(row: Float32Array): number {
  let at = 0;
  let score = row[0] ?? 0;
  for (let i = 1; i < row.length; i++) {
    const value = row[i] as number;
    if (value > score) {
      score = value;
      at = i;
    }
  }
  return at;
}

/** Loads the model; the result runs one round. */
function load(job: BareJob): () => BareRound {
  const { sequences, prompt, newTokens } = job;
  const runner = createLlamaRunner(
    {
      modelPath: job.model,
      adapters: [],
      contextTokens: job.contextPerSequence,
      parallel: sequences,
      batchTokens: job.batchTokens,
      threads: job.threads,
      gpuLayers: 0,
      kvType: 'f16',
      kvLayout: 'streams',
    },
    () => {},
  );
  const { batch } = runner;
  const prompts = Array.from({ length: sequences }, (_, s) => promptTokens(prompt, s));
  const last = new Int32Array(sequences);
  /** Sequences whose logits are in the current batch, in row order. */
  const wanting: number[] = [];

  const run = (): void => {
    if (runner.decode() !== 'ok') throw new Error('the bare loop ran out of KV');
    wanting.forEach((sequence, row) => {
      last[sequence] = best(runner.logits(row));
    });
    wanting.length = 0;
    batch.length = 0;
  };
  const push = (token: number, position: number, sequence: number, wanted: boolean): void => {
    const i = batch.length++;
    batch.tokens[i] = token;
    batch.positions[i] = position;
    batch.sequences[i] = sequence;
    batch.wantsLogits[i] = wanted ? 1 : 0;
    if (wanted) wanting.push(sequence);
  };
  return () => {
    batch.length = 0;
    for (let s = 0; s < sequences; s++) runner.removeKv(s, 0, -1);
    const started = performance.now();
    prompts.forEach((tokens, sequence) => {
      tokens.forEach((token, position) => {
        push(token, position, sequence, position === prompt - 1);
        if (batch.length === job.batchTokens) run();
      });
    });
    if (batch.length > 0) run();
    const filled = performance.now();
    for (let step = 1; step < newTokens; step++) {
      for (let s = 0; s < sequences; s++) push(last[s] ?? 0, prompt + step - 1, s, true);
      run();
    }
    const ended = performance.now();
    return {
      prefill: (sequences * prompt * 1000) / (filled - started),
      decode: (sequences * (newTokens - 1) * 1000) / (ended - filled),
    };
  };
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  let round: () => BareRound;
  process.on('message', (message: BareJob | 'round') => {
    if (message === 'round') process.send?.(round());
    else round = load(message);
  });
}
