// The engine room's face: protocol.Engine for one embedded model. Renders chats, checks what can be checked without
// the model, admits or refuses, and reads replies; the engine process does the rest. Server process.

import {
  type ChatRenderer,
  createChatRenderer,
  detectReplyFormat,
  promptNeedsBos,
  type ReplyFormat,
  type ReplyLead,
  replyLead,
  replyMarkers,
  requireTextOnly,
  type ToolFormat,
} from '../chat/index.js';
import {
  type ChatInput,
  type EmbedRequest,
  type EmbedResult,
  type Engine,
  type EngineStatus,
  type GenerateEvent,
  type GenerateRequest,
  KoineError,
  type ModelDescription,
  type TokenizeRequest,
  type TokenSpan,
} from '../protocol/index.js';
import { describeModel } from './description.js';
import { isShallow, requireShallow } from './nesting.js';
import type { EngineOptions } from './options.js';
import { EngineClient } from './process/client.js';
import type { FromEngine, ProcessStatus, PromptInput, Submission } from './process/messages.js';
import { type EngineLogLine, Supervisor } from './process/supervisor.js';
import { failedEvents, readReply } from './reply-events.js';

/** What the room is handed beside its options. */
export interface EngineParts {
  /** Compiled entry of the engine process. */
  readonly entryPath: string;
  readonly onLog: (line: EngineLogLine) => void;
}

/** An engine that owns a process. */
export interface ManagedEngine extends Engine {
  /** Resolves when the model is loaded for the first time; rejects with one line when it cannot be. */
  readonly ready: Promise<ModelDescription>;
  /** Process id of the engine process; undefined between two. */
  readonly pid: number | undefined;
  /** Requests and queries that are not done. */
  readonly inFlight: number;
  /** Takes no more requests and waits until the running ones are done, at most so long. */
  drain(limitMs: number): Promise<void>;
  /** Ends the process. */
  close(): Promise<void>;
}

const DRAIN_POLL_MS = 20;

/** Starts the process of a model. */
export function startEngine(options: EngineOptions, parts: EngineParts): ManagedEngine {
  return new EmbeddedEngine(options, parts);
}

type ReadyMessage = Extract<FromEngine, { kind: 'ready' }>;

/** What is known once the model is loaded. */
interface Loaded {
  readonly description: ModelDescription;
  readonly chat: ChatRenderer;
  readonly format: ReplyFormat;
  readonly markers: readonly string[];
}

class EmbeddedEngine implements ManagedEngine {
  readonly ready: Promise<ModelDescription>;
  readonly #options: EngineOptions;
  readonly #onLog: EngineParts['onLog'];
  readonly #client: EngineClient;
  readonly #supervisor: Supervisor;
  #loaded: Loaded | undefined;
  #status: ProcessStatus | undefined;
  #isDraining = false;
  #announce: (description: ModelDescription) => void = () => undefined;
  #giveUp: (error: Error) => void = () => undefined;

  constructor(options: EngineOptions, parts: EngineParts) {
    this.#options = options;
    this.#onLog = parts.onLog;
    this.ready = new Promise((resolve, reject) => {
      this.#announce = resolve;
      this.#giveUp = reject;
    });
    // Whoever awaits it sees the failure; nobody is obliged to.
    this.ready.catch(() => undefined);
    this.#client = new EngineClient((status) => {
      this.#status = status;
    });
    this.#supervisor = new Supervisor({
      options,
      entryPath: parts.entryPath,
      onLog: parts.onLog,
      onMessage: (message) => this.#client.receive(message),
      onReady: (message, send) => {
        this.#learn(message);
        this.#client.connect(send);
      },
      onLost: (failure, willRestart) => {
        this.#status = undefined;
        if (willRestart) this.#client.disconnect(failure);
        else this.#client.close(failure);
        this.#giveUp(new Error(failure.message));
      },
    });
    this.#supervisor.start();
  }

  get pid(): number | undefined {
    return this.#supervisor.pid;
  }

  get inFlight(): number {
    return this.#client.inFlight;
  }

  async describe(): Promise<ModelDescription> {
    return this.#require().description;
  }

  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent> {
    try {
      const held = withoutIdleHold(request);
      const loaded = this.#admit(held);
      const prompt = this.#prompt(loaded, held);
      if (this.#options.logPrompts) this.#logPrompt(held, prompt);
      const { input } = held;
      if (input.kind !== 'chat' || !input.parseReply) {
        return this.#client.start(toSubmission(held, prompt, [], undefined), signal);
      }
      const promptText = prompt.kind === 'text' ? prompt.text : '';
      // A reply that is continued has its reasoning and its header behind it.
      const lead = input.continueFinal
        ? undefined
        : replyLead(loaded.format, promptText, loaded.chat.mayReason(input));
      const submission = toSubmission(held, prompt, loaded.markers, lead);
      const events = this.#client.start(submission, signal);
      return readReply(events, { chat: input, format: loaded.format, promptText });
    } catch (error) {
      return failedEvents(error);
    }
  }

  async embed(request: EmbedRequest, signal: AbortSignal): Promise<EmbedResult> {
    const { inputs, pooling, normalize, truncate, adapter } = request;
    if (adapter !== undefined) {
      requireAdapter(this.#require().description, adapter);
      throw new KoineError('unsupported', 'embeddings with an adapter are not supported', {
        field: 'adapter',
      });
    }
    this.#require();
    const query = { kind: 'embed', inputs, normalize, truncate, ...(pooling ? { pooling } : {}) } as const;
    const { vectors, promptTokens } = await this.#client.query<'embed'>(query, signal);
    return {
      vectors: vectors.map((rows) => rows.map(fromBase64)),
      usage: { promptTokens, cachedTokens: 0, completionTokens: 0 },
    };
  }

  async tokenize({ text, addSpecial, parseSpecial }: TokenizeRequest): Promise<readonly TokenSpan[]> {
    this.#require();
    const query = { kind: 'tokenize', text, addSpecial, parseSpecial } as const;
    return (await this.#client.query<'tokenize'>(query)).spans;
  }

  async detokenize(tokens: readonly number[], showSpecial: boolean): Promise<string> {
    this.#require();
    return (await this.#client.query<'detokenize'>({ kind: 'detokenize', tokens, showSpecial })).text;
  }

  async renderChat(chat: ChatInput): Promise<string> {
    requireTextOnly(chat);
    return this.#require().chat.render(chat);
  }

  status(): EngineStatus {
    const { state, restarts } = this.#supervisor;
    const status = this.#status ?? {
      running: 0,
      waiting: 0,
      swapped: 0,
      kvCells: { total: 0, running: 0, cached: 0 },
      prefixCache: { hitTokens: 0, missTokens: 0, usedBytes: 0, budgetBytes: this.#options.prefixCacheBytes },
      threads: 0,
      steps: 0,
    };
    return { ...status, restarts, state: this.#isDraining && state === 'ready' ? 'draining' : state };
  }

  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    const until = performance.now() + limitMs;
    while (this.#client.inFlight > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
    }
  }

  async close(): Promise<void> {
    this.#isDraining = true;
    this.#client.close({ code: 'unavailable', message: 'the server is shutting down' });
    await this.#supervisor.stop();
  }

  #learn(message: ReadyMessage): void {
    const { facts } = message;
    const template = this.#options.chatTemplate ?? facts.chatTemplate;
    const detected = detectReplyFormat(template);
    const { replyFormat } = this.#options;
    const format = replyFormat === 'auto' ? detected : { ...detected, tools: replyFormat as ToolFormat };
    const description = describeModel(this.#options, message);
    this.#loaded = {
      description,
      format,
      markers: replyMarkers(format.tools),
      chat: createChatRenderer({
        template,
        bosText: facts.bosText,
        eosText: facts.eosText,
        source: this.#options.chatTemplate === undefined ? this.#options.modelId : '--chat-template',
      }),
    };
    this.#announce(description);
  }

  #require(): Loaded {
    if (this.#loaded === undefined) throw new KoineError('unavailable', 'the model is still being loaded');
    return this.#loaded;
  }

  /** Refuses what needs no model to be refused. */
  #admit(request: GenerateRequest): Loaded {
    const loaded = this.#require();
    if (this.#isDraining) throw new KoineError('unavailable', 'the server is shutting down');
    if (this.#supervisor.state === 'stopped') throw new KoineError('unavailable');
    const { adapter, constraint } = request;
    if (adapter !== undefined) requireAdapter(loaded.description, adapter);
    if (constraint !== undefined) requireShallow(constraint);
    const places = loaded.description.maxSequences + this.#options.maxWaiting;
    if (this.#client.inFlight >= places) {
      throw new KoineError('overloaded', `${this.#client.inFlight} requests are running or waiting already`, {
        retryAfterSeconds: 1,
      });
    }
    return loaded;
  }

  /** As it reaches the model. */
  #logPrompt({ id }: GenerateRequest, { kind: _, ...content }: PromptInput): void {
    this.#onLog({ level: 'debug', text: `prompt of request ${id}: ${JSON.stringify(content)}` });
  }

  #prompt({ chat, description }: Loaded, { input }: GenerateRequest): PromptInput {
    if (input.kind !== 'chat') return input;
    requireTextOnly(input);
    const text = chat.render(input);
    return { kind: 'text', text, addSpecial: promptNeedsBos(text, description.bosText), parseSpecial: true };
  }
}

function requireAdapter({ adapters }: ModelDescription, adapter: string): void {
  if (adapters.includes(adapter)) return;
  throw new KoineError('adapter_not_found', `there is no adapter named "${adapter}"`, { field: 'adapter' });
}

/** A request whose calls cannot be held, and need not be, is one without a rule. */
function withoutIdleHold(request: GenerateRequest): GenerateRequest {
  const { constraint, ...free } = request;
  if (constraint?.kind !== 'tool-call' || constraint.mode === 'call' || constraint.answer !== undefined) {
    return request;
  }
  if (constraint.tools.some(({ strict }) => strict === true)) return request;
  const isRead = request.input.kind === 'chat' && request.input.parseReply;
  return isRead && isShallow(constraint) ? request : free;
}

function toSubmission(
  request: GenerateRequest,
  prompt: PromptInput,
  markers: readonly string[],
  lead: ReplyLead | undefined,
): Omit<Submission, 'key'> {
  const { seed, ...sampling } = request.sampling;
  const { id, stop, constraint, output, adapter, n, bestOf, priority, truncateTo, usePrefixCache } = request;
  return {
    id,
    prompt,
    sampling: { ...sampling, ...(seed === undefined ? {} : { seed: seed.toString() }) },
    stop,
    output,
    n,
    bestOf,
    priority,
    usePrefixCache,
    markers,
    ...(constraint === undefined ? {} : { constraint }),
    ...(constraint === undefined || lead === undefined ? {} : { lead }),
    ...(adapter === undefined ? {} : { adapter }),
    ...(truncateTo === undefined ? {} : { truncateTo }),
  };
}

function fromBase64(text: string): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer);
}
