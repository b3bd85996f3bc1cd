// An Engine whose replies are written down by the test. Sends what a real engine would send for them (prompt
// tokens, log-probabilities, choices, usage), records what it was asked, and honours the abort signal.

import {
  type ChatInput,
  type EmbedRequest,
  type EmbedResult,
  type Engine,
  type EngineStatus,
  type Failure,
  type GenerateEvent,
  type GenerateRequest,
  KoineError,
  type ModelDescription,
  type Router,
  type TokenizeRequest,
  type TokenSpan,
} from '../../src/protocol/index.js';
import { type FakeReply, failureOf, mergeDeltas, tokenInfo } from './fake-reply.js';
import { FAKE_EOS, FakeTokenizer } from './fake-tokenizer.js';

export type { FakeReply, FakeToken } from './fake-reply.js';

/** What a fake engine is made of. */
export interface FakeEngineOptions {
  readonly description?: Partial<ModelDescription>;
  /** One reply for all, or one chosen per request. */
  readonly reply?: FakeReply | ((request: GenerateRequest) => FakeReply);
}

const DESCRIPTION: ModelDescription = {
  id: 'fake-model',
  aliases: ['fake-alias'],
  architecture: 'llama',
  quantization: 'Q8_0',
  parameters: 5_500_000,
  sizeBytes: 6_000_000,
  vocabSize: 10_000,
  embeddingSize: 8,
  contextTokens: 2048,
  trainedContextTokens: 2048,
  maxSequences: 8,
  pooling: 'mean',
  adapters: ['fake-adapter'],
  bosText: '<s>',
  eosText: '</s>',
  eogTokens: [FAKE_EOS],
  canInfill: false,
  loadedAt: 1_700_000_000,
};

/** The scripted engine. */
export class FakeEngine implements Engine {
  readonly description: ModelDescription;
  readonly tokenizer: FakeTokenizer;
  /** Every request in order of arrival. */
  readonly requests: GenerateRequest[] = [];
  readonly embedRequests: EmbedRequest[] = [];
  /** Requests that ended because their signal aborted. */
  aborted = 0;
  running = 0;
  /** Replies to come; may be set between requests. */
  reply: FakeReply | ((request: GenerateRequest) => FakeReply);
  readonly #holds: (() => void)[] = [];
  readonly #watchers: (() => void)[] = [];

  constructor(options: FakeEngineOptions = {}) {
    this.description = { ...DESCRIPTION, ...options.description };
    this.tokenizer = new FakeTokenizer(this.description.vocabSize);
    this.reply = options.reply ?? { tokens: ['Hello', ' world'] };
  }

  describe(): Promise<ModelDescription> {
    return Promise.resolve(this.description);
  }

  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent> {
    this.requests.push(request);
    const reply = typeof this.reply === 'function' ? this.reply(request) : this.reply;
    const { events, holdAt } = this.#script(request, reply);
    this.running += 1;
    this.#changed();
    let index = 0;
    let isOver = false;
    const finish = (hasAborted: boolean): void => {
      if (isOver) return;
      isOver = true;
      this.running -= 1;
      if (hasAborted) this.aborted += 1;
      this.#changed();
    };
    signal.addEventListener('abort', () => finish(true), { once: true });
    if (signal.aborted) finish(true);
    const step = (): IteratorResult<GenerateEvent> => {
      const value = isOver ? undefined : events[index];
      if (value === undefined) {
        finish(false);
        return { done: true, value: undefined };
      }
      index += 1;
      if (index === events.length) finish(false);
      return { done: false, value };
    };
    const next = async (): Promise<IteratorResult<GenerateEvent>> => {
      if (index === holdAt && !signal.aborted) await this.#hold(signal);
      return step();
    };
    const end = (): Promise<IteratorResult<GenerateEvent>> => {
      finish(true);
      return Promise.resolve({ done: true, value: undefined });
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
  }

  /** Lets held replies go on. */
  release(): void {
    for (const go of this.#holds.splice(0)) go();
  }

  /** Resolves when `test` holds; it is asked whenever a request begins, is held or ends. */
  async until(test: (engine: this) => boolean): Promise<void> {
    while (!test(this)) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  /** Vectors are a function of the input alone: the first element counts it, the rest are its first codes. */
  embed(request: EmbedRequest): Promise<EmbedResult> {
    this.embedRequests.push(request);
    const inputs = request.inputs.map((input) =>
      typeof input === 'string' ? this.tokenizer.encode(input, true).map(({ id }) => id) : [...input],
    );
    for (const tokens of inputs) {
      if (tokens.length > this.description.contextTokens && !request.truncate)
        throw this.#tooLong(tokens.length);
    }
    const size = this.description.embeddingSize;
    const vectors = inputs.map((tokens) => {
      const raw = Float32Array.from({ length: size }, (_, i) =>
        i === 0 ? tokens.length : (tokens[i] ?? 0) / 100,
      );
      const norm = request.normalize ? Math.hypot(...raw) : 1;
      return [raw.map((x) => x / norm)];
    });
    const promptTokens = inputs.reduce((sum, tokens) => sum + tokens.length, 0);
    return Promise.resolve({ vectors, usage: { promptTokens, cachedTokens: 0, completionTokens: 0 } });
  }

  tokenize(request: TokenizeRequest): Promise<readonly TokenSpan[]> {
    return Promise.resolve(this.tokenizer.encode(request.text, request.addSpecial));
  }

  async detokenize(tokens: readonly number[], showSpecial: boolean): Promise<string> {
    const texts = tokens.map((id) => (id <= FAKE_EOS && !showSpecial ? '' : this.tokenizer.textOf(id)));
    return texts.join('');
  }

  renderChat(chat: ChatInput): Promise<string> {
    const lines = chat.messages.map(({ role, content }) => {
      const text = content.map((part) => (part.kind === 'text' ? part.text : `[${part.kind}]`)).join('');
      return `${role}: ${text}\n`;
    });
    return Promise.resolve(`${lines.join('')}assistant:`);
  }

  status(): EngineStatus {
    return {
      state: 'ready',
      running: this.running,
      waiting: 0,
      swapped: 0,
      kvCells: { total: 2048, running: 16 * this.running, cached: 32 },
      prefixCache: { hitTokens: 10, missTokens: 20, usedBytes: 1000, budgetBytes: 4000 },
      threads: 2,
      steps: this.requests.length,
      restarts: 0,
    };
  }

  #hold(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#holds.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#changed();
    });
  }

  #changed(): void {
    for (const wake of this.#watchers.splice(0)) wake();
  }

  /** Everything the request will be sent, and the event before which it is held (-1 = none). */
  #script(request: GenerateRequest, reply: FakeReply): { events: readonly GenerateEvent[]; holdAt: number } {
    const prompt = this.#promptOf(request);
    // 0 holds after `started`, -1 before the first event whatever it is.
    const holdAt = reply.holdAfter === undefined ? -1 : reply.holdAfter + 1;
    const refusal =
      this.#refusal(request, prompt.length) ?? (reply.failAfter === 0 ? failureOf(reply) : undefined);
    if (refusal !== undefined) return { events: [{ kind: 'failed', failure: refusal }], holdAt };
    const perChoice = Array.from({ length: request.n }, (_, choice) => this.#choice(request, reply, choice));
    const started: GenerateEvent = {
      kind: 'started',
      promptTokens: prompt.length,
      cachedTokens: reply.cachedTokens ?? 0,
      ...(request.output.prompt && { promptText: prompt.map(({ text }) => text).join('') }),
      ...((request.output.prompt || request.output.promptLogprobs !== undefined) && {
        prompt: prompt.map((span, i) =>
          tokenInfo(
            { id: span.id, text: span.text, logprob: i === 0 ? null : -1 },
            request.output.promptLogprobs,
          ),
        ),
      }),
    };
    const events: GenerateEvent[] = [started];
    if (reply.failAfter !== undefined) {
      events.push(...(perChoice[0]?.deltas.slice(0, reply.failAfter) ?? []), {
        kind: 'failed',
        failure: failureOf(reply),
      });
    } else {
      for (const { deltas, end } of perChoice) events.push(...deltas, end);
      const completionTokens = perChoice.reduce((sum, { count }) => sum + count, 0);
      events.push({
        kind: 'finished',
        usage: { promptTokens: prompt.length, cachedTokens: reply.cachedTokens ?? 0, completionTokens },
        timings: { queueMs: 1, prefillMs: 2, decodeMs: 3 },
      });
    }
    return { events, holdAt };
  }

  #choice(request: GenerateRequest, reply: FakeReply, choice: number) {
    const all = reply.tokens ?? [];
    const limit = request.stop.maxNewTokens ?? Number.POSITIVE_INFINITY;
    const isCut = all.length > limit;
    const reason = isCut ? 'length' : (reply.reason ?? 'eos');
    const { tokens: wantsTokens, logprobs, stream } = request.output;
    const decoder = new TextDecoder();
    const deltas: Extract<GenerateEvent, { kind: 'delta' }>[] = (isCut ? all.slice(0, limit) : all).map(
      (token, i) => {
        const bytes = typeof token === 'string' ? Buffer.from(token) : Buffer.from(token.bytes);
        const text = decoder.decode(bytes, { stream: true });
        const isWhole = typeof token === 'string';
        const id = this.tokenizer.idOf(isWhole ? token : `bytes:${token.bytes.join(',')}`);
        const scored = { id, text: isWhole ? token : '', logprob: -0.25 * (i + 1) };
        const own = tokenInfo(isWhole ? scored : { ...scored, bytes: token.bytes }, logprobs);
        const parts = reply.parts?.[i] ?? (text === '' ? [] : [{ kind: 'content' as const, text }]);
        return {
          kind: 'delta',
          choice,
          text,
          ...((wantsTokens || logprobs !== undefined) && { tokens: [own] }),
          ...(request.input.kind === 'chat' && request.input.parseReply && { parts }),
        };
      },
    );
    const count = deltas.length + (reason === 'eos' ? 1 : 0);
    if (reason === 'eos' && (wantsTokens || logprobs !== undefined)) {
      const eos = tokenInfo({ id: FAKE_EOS, text: '</s>', logprob: -0.125 }, logprobs);
      deltas.push({ kind: 'delta', choice, text: '', tokens: [eos] });
    }
    const end: GenerateEvent = {
      kind: 'choice',
      choice,
      reason,
      completionTokens: count,
      ...(reply.stopText !== undefined && { stopText: reply.stopText }),
      ...(reply.toolCalls !== undefined && { toolCalls: reply.toolCalls }),
      ...(request.sampling.temperature > 0 && { seed: request.sampling.seed ?? 42n }),
    };
    return { deltas: stream ? deltas : mergeDeltas(deltas), end, count };
  }

  #promptOf(request: GenerateRequest): readonly TokenSpan[] {
    const spans = this.#allOf(request);
    return request.truncateTo === undefined ? spans : spans.slice(-request.truncateTo);
  }

  #allOf({ input }: GenerateRequest): readonly TokenSpan[] {
    switch (input.kind) {
      case 'text':
        return this.tokenizer.encode(input.text, input.addSpecial);
      case 'tokens':
        return input.tokens.map((id) => ({
          id,
          text: this.tokenizer.textOf(id),
          start: 0,
          stop: 0,
          special: false,
        }));
      case 'infill':
        return this.tokenizer.encode(`${input.prefix} ${input.suffix}`, true);
      case 'chat':
        return input.messages.flatMap(({ role, content }) =>
          this.tokenizer.encode(
            `${role} ${content.map((part) => ('text' in part ? part.text : '')).join('')}`,
            false,
          ),
        );
    }
  }

  #refusal(request: GenerateRequest, promptTokens: number): Failure | undefined {
    const { adapter, input } = request;
    if (adapter !== undefined && !this.description.adapters.includes(adapter)) {
      return {
        code: 'adapter_not_found',
        message: `The adapter '${adapter}' does not exist.`,
        details: { field: 'adapter' },
      };
    }
    if (
      input.kind === 'chat' &&
      input.messages.some(({ content }) => content.some(({ kind }) => kind !== 'text'))
    ) {
      return { code: 'unsupported', message: 'This model takes text only.', details: { field: 'messages' } };
    }
    const needed = promptTokens + (request.stop.maxNewTokens ?? 0);
    if (needed <= this.description.contextTokens && promptTokens < this.description.contextTokens)
      return undefined;
    const { code, message, details } = this.#tooLong(promptTokens, request.stop.maxNewTokens);
    return { code, message, details };
  }

  #tooLong(promptTokens: number, maxNewTokens?: number): KoineError {
    const limitTokens = this.description.contextTokens;
    const details = { promptTokens, limitTokens, ...(maxNewTokens !== undefined && { maxNewTokens }) };
    return new KoineError(
      'too_long',
      `The prompt has ${promptTokens} tokens; the context has ${limitTokens}.`,
      details,
    );
  }
}

/** A router over fake engines; the first is the default. */
export function fakeRouter(...engines: readonly [FakeEngine, ...FakeEngine[]]): Router {
  return {
    resolve(model) {
      const found = engines.find(
        ({ description: { id, aliases } }, i) =>
          model === id ||
          aliases.includes(model ?? '') ||
          (i === 0 && (model === undefined || model === 'default')),
      );
      if (found === undefined)
        throw new KoineError('model_not_found', `The model '${model}' does not exist.`);
      return found;
    },
    models: () => Promise.resolve(engines.map(({ description }) => description)),
  };
}
