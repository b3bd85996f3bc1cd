// A ModelRunner whose model is a table: the scores of the next token are a function of what the sequence's KV
// really holds, so KV at a wrong place, of a wrong sequence or left behind changes the output. Protocol misuse
// throws. Memory is in fake-kv.ts, tokens in fake-vocabulary.ts, scripts and scores in fake-scores.ts.

import type {
  DecodeOutcome,
  KvBlock,
  ModelFacts,
  RunnerInfo,
  StepBatch,
} from '../../src/engine/model-runner.js';
import { FakeKv, mix, ROW_TOKEN } from './fake-kv.js';
import {
  type FakeCounters,
  type FakeRunner,
  type FakeRunnerOptions,
  type FakeSettings,
  type FakeStep,
  type FakeStepPart,
  settle,
} from './fake-runner-options.js';
import { createFakeScores, hashText } from './fake-scores.js';
import { createFakeVocabulary } from './fake-vocabulary.js';

export type {
  FakeCounters,
  FakeRunner,
  FakeRunnerOptions,
  FakeStep,
  FakeStepPart,
} from './fake-runner-options.js';
export type { FakeScript } from './fake-scores.js';

/** Makes a runner. Everything about it is deterministic. */
export function createFakeRunner(options: FakeRunnerOptions = {}): FakeRunner {
  return new TableRunner(settle(options));
}

class TableRunner implements FakeRunner {
  readonly info: RunnerInfo;
  readonly facts: ModelFacts;
  readonly batch: StepBatch;
  readonly vocabulary = createFakeVocabulary();
  readonly counters: FakeCounters = {
    decodes: 0,
    decodedTokens: 0,
    exports: 0,
    exportedTokens: 0,
    exportedBytes: 0,
    imports: 0,
    importedTokens: 0,
    importedBytes: 0,
    splits: 0,
    removals: 0,
  };
  readonly steps: FakeStep[] = [];
  isDisposed = false;
  readonly #settings: FakeSettings;
  readonly #kv: FakeKv;
  readonly #score;
  /** One view per possible row; `#rowCount` of them are valid. */
  readonly #rows: Float32Array[] = [];
  #rowCount = 0;
  #adapter: string | null = null;
  #threads = 1;
  readonly #planned: ('no-space' | 'failed')[] = [];
  #importFails = false;

  constructor(settings: FakeSettings) {
    const { kvLayout, maxSequences, contextPerSequence, totalCells, canMoveKv, batchTokens } = settings;
    this.#settings = settings;
    this.info = {
      vocabSize: this.vocabulary.size,
      embeddingSize: settings.embeddingSize,
      maxSequences,
      contextPerSequence,
      totalCells,
      kvLayout,
      batchTokens,
      canMoveKv,
      kvBytesPerToken: canMoveKv ? settings.kvBytesPerToken : 0,
      eogTokens: [this.vocabulary.eos, this.vocabulary.endOfTurn],
      efficientChunk: 128,
      maxThreads: settings.maxThreads,
    };
    this.facts = {
      architecture: 'table',
      quantization: 'none',
      parameters: 1_000,
      sizeBytes: 4_000,
      embeddingSize: settings.embeddingSize,
      trainedContextTokens: contextPerSequence,
      declaredPooling: undefined,
      chatTemplate: undefined,
      bosText: '<bos>',
      eosText: '<eos>',
      addsBos: true,
      infillTokens: undefined,
      canGenerate: true,
      adapters: settings.adapters,
      ...settings.facts,
    };
    this.batch = {
      length: 0,
      tokens: new Int32Array(batchTokens),
      positions: new Int32Array(batchTokens),
      sequences: new Int32Array(batchTokens),
      wantsLogits: new Int8Array(batchTokens),
    };
    this.#kv = new FakeKv(settings);
    this.#score = createFakeScores(this.vocabulary, settings.script, settings.endBias);
  }

  decode(): DecodeOutcome {
    this.#checkAlive();
    this.#forgetRows();
    const parts = this.#checkBatch();
    const outcome = this.#outcome(parts);
    this.#record('tokens', parts, outcome);
    if (outcome !== 'ok') return outcome;
    const { length, tokens, sequences, wantsLogits } = this.batch;
    const adapter = hashText(this.#adapter ?? '');
    for (let i = 0; i < length; i++) {
      const sequence = sequences[i] ?? 0;
      const token = tokens[i] ?? 0;
      const prefix = this.#kv.append(sequence, token, mix(adapter, token));
      if (wantsLogits[i] === 1) this.#score(this.#nextRow(), prefix ^ adapter, this.#kv.tokens(sequence));
    }
    this.counters.decodedTokens += length;
    return 'ok';
  }

  decodeRows(rows: Float32Array, sequence: number, position: number, wantsLogits: boolean): DecodeOutcome {
    this.#checkAlive();
    this.#forgetRows();
    const width = this.info.embeddingSize;
    const count = rows.length / width;
    if (!Number.isInteger(count) || count === 0)
      throw new RangeError(`${rows.length} floats are no rows of ${width}`);
    if (count > this.info.batchTokens) throw new RangeError(`${count} rows are more than one batch holds`);
    this.#kv.checkNext(sequence, position, 0);
    const parts = [{ sequence, from: position, count, rows: wantsLogits ? 1 : 0 }];
    const outcome = this.#outcome(parts);
    this.#record('rows', parts, outcome);
    if (outcome !== 'ok') return outcome;
    const adapter = hashText(this.#adapter ?? '');
    let prefix = 0;
    for (let r = 0; r < count; r++) {
      let content = adapter;
      for (let i = r * width; i < (r + 1) * width; i++)
        content = mix(content, Math.round((rows[i] ?? 0) * 65536));
      prefix = this.#kv.append(sequence, ROW_TOKEN, content);
    }
    if (wantsLogits) this.#score(this.#nextRow(), prefix ^ adapter, this.#kv.tokens(sequence));
    this.counters.decodedTokens += count;
    return 'ok';
  }

  logits(row: number): Float32Array {
    this.#checkAlive();
    const values = this.#rows[row];
    if (values === undefined || row >= this.#rowCount) {
      throw new RangeError(`row ${row} was asked for; the last decode left ${this.#rowCount} rows`);
    }
    return values;
  }

  removeKv(sequence: number, from: number, to: number): void {
    this.#checkAlive();
    this.counters.removals++;
    const held = this.kvTokens(sequence).length;
    if (!this.info.canMoveKv && from > 0 && from < held) {
      throw new Error(`sequence ${sequence}: a state of ${held} positions cannot be cut at ${from}`);
    }
    this.#kv.remove(sequence, from, to);
  }

  exportKv(sequence: number, from: number, to: number): KvBlock {
    this.#checkMovable();
    const block = this.#kv.export(sequence, from, to);
    this.counters.exports++;
    this.counters.exportedTokens += block.length;
    this.counters.exportedBytes += block.bytes;
    return block;
  }

  importKv(sequence: number, blocks: readonly KvBlock[]): boolean {
    this.#checkMovable();
    if (this.#importFails) {
      this.#importFails = false;
      this.#kv.import(sequence, []);
      return false;
    }
    if (!this.#kv.import(sequence, blocks)) return false;
    this.counters.imports++;
    for (const block of blocks) {
      this.counters.importedTokens += block.length;
      this.counters.importedBytes += block.bytes;
    }
    return true;
  }

  splitKv(block: KvBlock, at: number): readonly [KvBlock, KvBlock] {
    this.#checkMovable();
    this.counters.splits++;
    return this.#kv.split(block, at);
  }

  setAdapter(name: string | null): void {
    this.#checkAlive();
    if (name !== null && !this.#settings.adapters.includes(name))
      throw new Error(`no adapter is named ${name}`);
    this.#adapter = name;
  }

  setThreads(threads: number): void {
    this.#checkAlive();
    if (!Number.isInteger(threads) || threads < 1 || threads > this.info.maxThreads) {
      throw new RangeError(`${threads} threads are not in 1 .. ${this.info.maxThreads}`);
    }
    this.#threads = threads;
  }

  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array {
    return this.vocabulary.tokenize(text, addSpecial, parseSpecial);
  }

  tokenBytes(token: number): Uint8Array {
    return this.vocabulary.bytes(token);
  }

  isControl(token: number): boolean {
    return token < this.vocabulary.controls;
  }

  embed(inputs: readonly Int32Array[], pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank'): Float32Array[][] {
    this.#checkAlive();
    return inputs.map((tokens) => {
      if (tokens.length === 0) throw new RangeError('an input without tokens cannot be embedded');
      return pool(this.#vectors(tokens), pooling);
    });
  }

  dispose(): void {
    this.#checkAlive();
    this.isDisposed = true;
  }

  failNext(outcome: 'no-space' | 'failed', times = 1): void {
    for (let i = 0; i < times; i++) this.#planned.push(outcome);
  }

  failNextImport(): void {
    this.#importFails = true;
  }

  kvLength(sequence: number): number {
    return this.#kv.length(sequence);
  }

  kvTokens(sequence: number): readonly number[] {
    return [...this.#kv.tokens(sequence)];
  }

  usedCells(): number {
    return this.#kv.used();
  }

  expectGreedy(prompt: Iterable<number>, count: number, adapter: string | null = null): number[] {
    const tokens = [...prompt];
    const cells = tokens.length + count;
    const kv = new FakeKv({
      ...this.#settings,
      maxSequences: 1,
      contextPerSequence: cells,
      totalCells: cells,
    });
    const salt = hashText(adapter ?? '');
    const row = new Float32Array(this.info.vocabSize);
    const answer: number[] = [];
    let prefix = 0;
    for (const token of tokens) prefix = kv.append(0, token, mix(salt, token));
    while (answer.length < count) {
      this.#score(row, prefix ^ salt, kv.tokens(0));
      const best = row.indexOf(Math.max(...row));
      answer.push(best);
      prefix = kv.append(0, best, mix(salt, best));
    }
    return answer;
  }

  #vectors(tokens: Int32Array): Float32Array[] {
    let hash = hashText(this.#adapter ?? '');
    return Array.from(tokens, (token) => {
      hash = mix(hash, token);
      const vector = new Float32Array(this.info.embeddingSize);
      for (let i = 0; i < vector.length; i++) vector[i] = mix(hash, i) / 2 ** 31 - 1;
      return vector;
    });
  }

  #nextRow(): Float32Array {
    const row = this.#rowCount++;
    this.#rows[row] ??= new Float32Array(this.info.vocabSize);
    return this.#rows[row];
  }

  /** Rows of the step before are spoiled, so that a late look at them shows. */
  #forgetRows(): void {
    for (let row = 0; row < this.#rowCount; row++) this.#rows[row]?.fill(Number.NaN);
    this.#rowCount = 0;
  }

  #checkAlive(): void {
    if (this.isDisposed) throw new Error('the runner was used after it had been disposed');
  }

  #checkMovable(): void {
    this.#checkAlive();
    if (!this.info.canMoveKv) throw new Error('this runner cannot move KV');
  }

  #checkBatch(): FakeStepPart[] {
    const { length, tokens, positions, sequences, wantsLogits } = this.batch;
    if (!Number.isInteger(length) || length < 1 || length > this.info.batchTokens) {
      throw new RangeError(`a batch of ${length} tokens; it holds 1 .. ${this.info.batchTokens}`);
    }
    const parts = new Map<number, { sequence: number; from: number; count: number; rows: number }>();
    for (let i = 0; i < length; i++) {
      const sequence = sequences[i] ?? -1;
      const position = positions[i] ?? -1;
      const token = tokens[i] ?? -1;
      const wanted = wantsLogits[i] ?? -1;
      if (token < 0 || token >= this.info.vocabSize)
        throw new RangeError(`token ${token} is not in the vocabulary`);
      if (wanted !== 0 && wanted !== 1) throw new RangeError(`wantsLogits is ${wanted} at ${i}`);
      const part = parts.get(sequence) ?? { sequence, from: position, count: 0, rows: 0 };
      this.#kv.checkNext(sequence, position, part.count);
      part.count++;
      part.rows += wanted;
      parts.set(sequence, part);
    }
    return [...parts.values()];
  }

  #outcome(parts: readonly FakeStepPart[]): DecodeOutcome {
    const planned = this.#planned.shift();
    if (planned === 'failed') for (const { sequence } of parts) this.#kv.spoil(sequence);
    if (planned !== undefined) return planned;
    const total = parts.reduce((sum, part) => sum + part.count, 0);
    const fits = parts.every(({ from, count }) => this.#kv.fits(total, from + count - 1));
    return fits ? 'ok' : 'no-space';
  }

  #record(kind: 'tokens' | 'rows', parts: readonly FakeStepPart[], outcome: DecodeOutcome): void {
    this.counters.decodes++;
    const tokens = parts.reduce((sum, part) => sum + part.count, 0);
    const step = { kind, parts, tokens, adapter: this.#adapter, threads: this.#threads, outcome };
    if (this.#settings.recordSteps) this.steps.push(step);
    this.#settings.onDecode?.(step);
  }
}

function pool(vectors: Float32Array[], pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank'): Float32Array[] {
  const [first] = vectors;
  const last = vectors.at(-1);
  if (first === undefined || last === undefined) return [];
  switch (pooling) {
    case 'none':
      return vectors;
    case 'cls':
      return [first];
    case 'last':
      return [last];
    case 'rank':
      return [last.slice(0, 1)];
    case 'mean':
      return [
        first.map((_, i) => vectors.reduce((sum, vector) => sum + (vector[i] ?? 0), 0) / vectors.length),
      ];
  }
}
