// A step loop over a fake runner, driven by hand: submit, step, look. What one request received is collected apart.

import { createNoCache } from '../../src/engine/cache/no-cache.js';
import { Places } from '../../src/engine/cache/places.js';
import { RadixCache } from '../../src/engine/cache/radix-cache.js';
import { createGroup } from '../../src/engine/intake.js';
import type { ModelFacts, ModelRunner } from '../../src/engine/model-runner.js';
import type { PromptInput, Submission, WireEvent } from '../../src/engine/process/messages.js';
import { createSamplerWorkspace } from '../../src/engine/sampling/index.js';
import type { OutputMatcher } from '../../src/engine/sequence.js';
import { StepLoop } from '../../src/engine/step.js';
import { TokenTable } from '../../src/engine/text/index.js';
import { TextBounds } from '../../src/engine/text-bounds.js';
import {
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
  type OutputOptions,
  type StopConditions,
} from '../../src/protocol/index.js';

/** What a test may say about a request; the rest is greedy, streaming, at most 16 tokens. */
export interface LoopRequest
  extends Partial<Omit<Submission, 'key' | 'prompt' | 'sampling' | 'stop' | 'output'>> {
  readonly prompt: string | PromptInput;
  readonly sampling?: Partial<Submission['sampling']>;
  readonly stop?: Partial<StopConditions>;
  readonly output?: Partial<OutputOptions>;
}

/** Everything one request received. */
export interface Received {
  readonly key: number;
  readonly events: WireEvent[];
  /** Text by choice. */
  readonly texts: string[];
  isDone: boolean;
}

export interface LoopOptions {
  /** 0 = no prefix cache. Default 1 MiB. */
  readonly cacheBytes?: number;
  /** Default 0: none. */
  readonly promptLookup?: number;
  /** Milliseconds; default the machine's clock. */
  readonly now?: () => number;
}

/** A loop and the means to drive it. */
export class TestLoop {
  readonly loop: StepLoop;
  readonly places: Places;
  readonly received = new Map<number, Received>();
  readonly #intake;
  #keys = 0;

  constructor(
    readonly runner: ModelRunner & { readonly facts: ModelFacts },
    options: LoopOptions = {},
  ) {
    const budgetBytes = options.cacheBytes ?? 1 << 20;
    const workspace = createSamplerWorkspace(runner.info.vocabSize);
    const table = new TokenTable((token) => runner.tokenBytes(token));
    const now = options.now ?? (() => performance.now());
    const cache =
      budgetBytes === 0 || !runner.info.canMoveKv
        ? createNoCache()
        : new RadixCache({
            budgetBytes,
            split: (block, at) => runner.splitKv(block, at),
            isExact: runner.info.kvLayout === 'unified',
          });
    this.places = new Places(runner, cache, budgetBytes > 0);
    const bounds = new TextBounds(runner);
    this.#intake = { runner, facts: runner.facts, workspace, table, bounds, now };
    this.loop = new StepLoop({
      runner,
      places: this.places,
      workspace,
      table,
      now,
      sharesPrefixes: budgetBytes > 0,
      promptLookup: options.promptLookup ?? 0,
      threads: () => runner.info.maxThreads,
      onStepTime: () => undefined,
    });
  }

  /** Hands a request in; nothing is computed before the next step. Throws what intake throws. `matchers`: one per choice. */
  submit(request: LoopRequest, matchers?: readonly OutputMatcher[]): Received {
    const key = ++this.#keys;
    const { prompt, sampling, stop, output, ...rest } = request;
    const submission: Submission = {
      id: `test-${key}`,
      n: 1,
      bestOf: 1,
      priority: 0,
      usePrefixCache: true,
      markers: [],
      ...rest,
      key,
      prompt:
        typeof prompt === 'string'
          ? { kind: 'text', text: prompt, addSpecial: false, parseSpecial: true }
          : prompt,
      sampling: { ...NEUTRAL_SAMPLING, temperature: 0, ...sampling } as Submission['sampling'],
      stop: { ...NEUTRAL_STOP, maxNewTokens: 16, ...stop },
      output: { ...NEUTRAL_OUTPUT, stream: true, ...output },
    };
    const received: Received = { key, events: [], texts: [], isDone: false };
    this.received.set(key, received);
    this.loop.add(createGroup(this.#intake, submission, key, matchers));
    return received;
  }

  /** One step; its events are sorted to their requests. */
  step(): void {
    this.loop.step();
    this.loop.showPending();
    const { texts, events } = this.loop.outbox.take();
    for (const [key, choice, text] of texts) this.#take(key, { kind: 'delta', choice, text });
    for (const [key, event] of events) this.#take(key, event);
  }

  /** Steps until nothing is left to do; fails after `limit` steps. */
  run(limit = 10_000): void {
    for (let i = 0; this.loop.hasWork; i++) {
      if (i === limit) throw new Error(`still working after ${limit} steps`);
      this.step();
    }
  }

  /** Runs one request to its end and returns its text. */
  text(request: LoopRequest): string {
    const received = this.submit(request);
    this.run();
    return received.texts.join('|');
  }

  #take(key: number, event: WireEvent): void {
    const received = this.received.get(key);
    if (received === undefined) throw new Error(`an event for request ${key}, which does not exist`);
    if (received.isDone) throw new Error(`an event for request ${key} after its end`);
    received.events.push(event);
    if (event.kind === 'delta')
      received.texts[event.choice] = (received.texts[event.choice] ?? '') + event.text;
    received.isDone = event.kind === 'finished' || event.kind === 'failed';
  }
}
