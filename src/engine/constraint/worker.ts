// A worker thread: compiles grammars and computes masks with an XGrammar instance of its own. It never returns to
// its event loop; it sleeps on a counter in shared memory, because being woken that way takes microseconds.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { CompiledGrammar, GrammarCompiler, GrammarMatcher } from '@mlc-ai/web-xgrammar';
import { type GrammarSource, toGrammar } from '../../grammar/index.js';
import { KoineError, toFailure } from '../../protocol/index.js';
import { Lead } from './lead.js';
import { createTokenTable, LengthFilter, type TokenTable } from './length-filter.js';
import type { Command, CompileTask, Report, WorkerStart } from './messages.js';
import { Slot } from './slot.js';
import { narrowedBy, tokensByLacking } from './utf8.js';
import { tokenBytes, type Vocabulary } from './vocabulary.js';
import { type LoadedXGrammar, loadXGrammar } from './xgrammar.js';

/** Allowed tokens up to which it is worth asking whether the text is forced. */
const FORCED_TOKENS = 24;

interface Grammar {
  readonly compiled: CompiledGrammar;
  readonly source: GrammarSource;
  readonly isCall: boolean;
}

interface Sequence {
  readonly slot: Slot;
  /** Last byte of the output so far. */
  last: number | undefined;
  readonly matcher: GrammarMatcher;
  /** There is nothing left to follow. */
  isOver: boolean;
  /** It is over as soon as the grammar may end, not only when the output does. */
  readonly endsWithCall: boolean;
  readonly filter: LengthFilter | undefined;
  readonly isCall: boolean;
  readonly lead: Lead | undefined;
  /** Bytes that the last character of the text still lacks. */
  lacking: number;
}

class Station {
  private readonly grammars = new Map<string, Grammar>();
  private readonly sequences = new Map<number, Sequence>();
  private table: TokenTable | undefined;
  private readonly byLacking: readonly Int32Array[];

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly xgrammar: LoadedXGrammar,
    private readonly compiler: GrammarCompiler,
    private readonly report: (report: Report) => void,
  ) {
    this.byLacking = tokensByLacking(vocabulary.size, (token) => tokenBytes(vocabulary, token));
  }

  async obey(command: Command): Promise<void> {
    switch (command.kind) {
      case 'compile':
        return await this.compile(command);
      case 'open':
        return await this.open(command);
      case 'close': {
        const sequence = this.sequences.get(command.id);
        this.sequences.delete(command.id);
        sequence?.matcher.dispose();
        return;
      }
      case 'drop': {
        const grammar = this.grammars.get(command.key);
        this.grammars.delete(command.key);
        grammar?.compiled.dispose();
      }
    }
  }

  private async compile(task: CompileTask): Promise<void> {
    const { key, constraint } = task;
    const start = performance.now();
    const source = this.convert(task);
    if (source === undefined) return;
    this.xgrammar.takeMessages();
    try {
      const compiled = await this.compiler.compileGrammar(source.text);
      this.grammars.set(key, { compiled, source, isCall: constraint.kind === 'tool-call' });
      const ms = performance.now() - start;
      const { loosened = [] } = source;
      this.report({ kind: 'compiled', key, ms, loosened, memoryBytes: this.xgrammar.memoryBytes() });
    } catch (thrown) {
      const text = `${this.xgrammar.takeMessages()}\n${String(thrown)}`;
      this.report({
        kind: 'refused',
        key,
        reason: complaint(text),
        isMemory: this.xgrammar.isFull(),
        isForeign: source.isForeign,
      });
    }
  }

  /** The constraint as a grammar; here rather than in the engine's thread, because schemas can explode too. */
  private convert({ key, constraint, syntax, lead, holding }: CompileTask): GrammarSource | undefined {
    try {
      const source = toGrammar(constraint, syntax, lead, holding);
      if (source.unsupported === undefined) return source;
      this.report({ kind: 'foreign', key, reason: source.unsupported });
    } catch (thrown) {
      if (!(thrown instanceof KoineError)) throw thrown;
      this.report({ kind: 'faulty', key, failure: toFailure(thrown) });
    }
    return undefined;
  }

  private async open({ id, key, slot: memory, entry }: Command & { kind: 'open' }): Promise<void> {
    const grammar = this.grammars.get(key);
    if (grammar === undefined) throw new Error('a matcher was asked for before its grammar was compiled');
    const matcher = await this.xgrammar.api.GrammarMatcher.createGrammarMatcher(grammar.compiled);
    const { guards, lead } = grammar.source;
    if (guards.length > 0) this.table ??= createTokenTable(this.vocabulary);
    const filter =
      this.table === undefined || guards.length === 0
        ? undefined
        : new LengthFilter(guards, this.vocabulary, this.table);
    const written = new TextEncoder().encode(entry?.written);
    filter?.accept(written);
    this.sequences.set(id, {
      slot: new Slot(memory),
      last: written.at(-1),
      // Nothing is left to follow of a text that does not fit.
      isOver: entry !== undefined && !matcher._acceptString(entry.written),
      endsWithCall: entry?.endsWithCall === true,
      matcher,
      filter,
      isCall: grammar.isCall,
      lead: lead && new Lead(lead),
      lacking: 0,
    });
  }

  /** Carries out every command that waits in a slot; true when there was one. */
  async serve(): Promise<boolean> {
    let hasWorked = false;
    for (const sequence of this.sequences.values()) {
      const tokens = sequence.slot.pending();
      if (tokens === undefined) continue;
      hasWorked = true;
      await this.advance(sequence, tokens);
    }
    return hasWorked;
  }

  private async advance(sequence: Sequence, tokens: readonly number[]): Promise<void> {
    const { slot, matcher, filter, lead } = sequence;
    if (sequence.isOver) {
      slot.mask.fill(0);
      slot.finish('terminated', '');
      return;
    }
    for (const token of tokens) {
      // Text tokens alone move the filter; a rejected token leaves the matcher where it was.
      if (matcher.isTerminated() || !matcher.acceptToken(token)) {
        slot.mask.fill(0);
        slot.finish('rejected', '');
        return;
      }
      const bytes = tokenBytes(this.vocabulary, token);
      const behind = lead?.take(bytes) ?? bytes;
      filter?.accept(behind);
      sequence.last = bytes.at(-1) ?? sequence.last;
      sequence.lacking = lackingAfter(sequence.lacking, bytes);
    }
    if (matcher.isTerminated()) {
      slot.mask.fill(0);
      slot.finish('terminated', '');
      return;
    }
    const mask = await matcher.getNextTokenBitmask();
    if (sequence.endsWithCall && this.vocabulary.eogTokens.some((token) => has(mask, token))) {
      sequence.isOver = true;
      slot.mask.fill(0);
      slot.finish('terminated', '');
      return;
    }
    // Beyond the last token the library leaves its bits set.
    for (let token = this.vocabulary.size; token < mask.length * 32; token += 1) clear(mask, token);
    const isBehindLead = lead?.isOver ?? true;
    if (!sequence.isCall && isBehindLead) for (const token of this.vocabulary.markers) clear(mask, token);
    this.keepUtf8(mask, sequence);
    if (isBehindLead) filter?.filter(mask);
    slot.mask.set(mask.subarray(0, slot.mask.length));
    // Inside a character the library's text would begin with what its bytes are not: it decodes them without checking.
    const isForced = sequence.lacking === 0 && isNarrow(mask);
    slot.finish('running', isForced ? matcher.findJumpForwardString() : '');
  }

  /** Leaves tokens that go on with the last character, or begin one: not every continuation of it is one. */
  private keepUtf8(mask: Int32Array, { last, lacking }: Sequence): void {
    const fitting = this.byLacking[lacking];
    if (fitting !== undefined)
      for (const [word, bits] of fitting.entries()) mask[word] = (mask[word] ?? 0) & bits;
    const range = narrowedBy(last);
    if (range === undefined) return;
    for (let token = 0; token < this.vocabulary.size; token += 1) {
      if (!has(mask, token)) continue;
      const first = tokenBytes(this.vocabulary, token)[0];
      if (first !== undefined && (first < range[0] || first > range[1])) clear(mask, token);
    }
  }
}

/** Bytes the last character lacks once these are added. */
function lackingAfter(lacking: number, bytes: Uint8Array): number {
  let missing = lacking;
  for (const byte of bytes) {
    if (byte < 0x80) missing = 0;
    else if (byte < 0xc0) missing = Math.max(0, missing - 1);
    else missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
  return missing;
}

function has(mask: Int32Array, token: number): boolean {
  return ((mask[token >> 5] ?? 0) & (1 << (token & 31))) !== 0;
}

function clear(mask: Int32Array, token: number): void {
  mask[token >> 5] = (mask[token >> 5] ?? 0) & ~(1 << (token & 31));
}

/** Whether few tokens are allowed, so that their text may be forced. */
function isNarrow(mask: Int32Array): boolean {
  let allowed = 0;
  for (let bits of mask) {
    while (bits !== 0) {
      bits &= bits - 1;
      allowed += 1;
      if (allowed > FORCED_TOKENS) return false;
    }
  }
  return true;
}

/** The library's complaint without its source positions and banners. */
function complaint(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^\[[^\]]*\]\s*\S*:\d+:\s*/, '').trim());
  const telling = lines.find((line) => /error|failed|invalid|expect|not (defined|found)/i.test(line));
  return (telling ?? lines.find((line) => line !== '') ?? 'it cannot be compiled').slice(0, 300);
}

async function start({ vocabulary, memoryLimitBytes, wake, port }: WorkerStart): Promise<void> {
  const report = (message: Report): void => parentPort?.postMessage(message);
  const began = performance.now();
  const xgrammar = loadXGrammar(memoryLimitBytes);
  try {
    const tokens = Array.from({ length: vocabulary.size }, (_, token) =>
      tokenBytes(vocabulary, token).slice(),
    );
    const info = await xgrammar.api.TokenizerInfo.createTokenizerInfo(
      // The binding takes bytes as well as text, which its declarations do not say.
      tokens as unknown as string[],
      'raw',
      false,
      vocabulary.size,
      [...vocabulary.eogTokens],
    );
    const compiler = await xgrammar.api.GrammarCompiler.createGrammarCompiler(info, false);
    const station = new Station(vocabulary, xgrammar, compiler, report);
    report({ kind: 'ready', ms: performance.now() - began, memoryBytes: xgrammar.memoryBytes() });
    for (;;) {
      const seen = Atomics.load(wake, 0);
      for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) {
        await station.obey(got.message as Command);
      }
      if (!(await station.serve())) Atomics.wait(wake, 0, seen);
    }
  } catch (thrown) {
    report({ kind: 'broken', reason: complaint(`${xgrammar.takeMessages()}\n${String(thrown)}`) });
  }
}

await start(workerData as WorkerStart);
