// From a request's constraint to rules at work: the real compiler over the fake runner's vocabulary, and what the host
// of a model does while one is being compiled.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FAKE_ENGINE_OPTIONS } from '../../test/support/engine-options.js';
import { createFakeRunner, type FakeRunner } from '../../test/support/fake-runner.js';
import { TextMatcher } from '../../test/support/text-matcher.js';
import {
  type Constraint,
  KoineError,
  NEUTRAL_OUTPUT,
  NEUTRAL_SAMPLING,
  NEUTRAL_STOP,
} from '../protocol/index.js';
import { Constraints } from './constraints.js';
import type { ModelRunner, RunnerGrammar } from './model-runner.js';
import { EngineHost } from './process/host.js';
import type { FromEngine, Submission, WireEvent } from './process/messages.js';
import { isAllowed } from './sampling/mask.js';
import type { OutputMatcher } from './sequence.js';

const OPTIONS = { ...FAKE_ENGINE_OPTIONS, prefixCacheBytes: 0 };

const regex = (pattern: string): Constraint => ({ kind: 'regex', pattern });
/** A class of twenty thousand characters beyond ASCII, which only the runner's own grammars can hold. */
const FOREIGN = { kind: 'grammar', grammar: 'root ::= [一-龥]+', syntax: 'gbnf' } as const;

/** A fake runner that reads grammars with the start rule named so. */
function runnerWith(parse: (source: string) => RunnerGrammar | undefined): FakeRunner & ModelRunner {
  return Object.assign(createFakeRunner(), { parseGrammar: parse });
}

const allowedTexts = (runner: FakeRunner, mask: Int32Array | 'pending' | null): string[] => {
  if (mask === 'pending' || mask === null) throw new Error('there is no mask');
  const { vocabulary } = runner;
  const tokens = Array.from({ length: vocabulary.size }, (_, token) => token);
  return tokens.filter((token) => isAllowed(mask, token)).map((token) => vocabulary.text([token]));
};

describe('a constraint', () => {
  const runner = createFakeRunner();
  let constraints: Constraints;
  beforeAll(() => {
    constraints = new Constraints(runner, runner.facts, OPTIONS);
  });
  afterAll(() => constraints.dispose());

  it('becomes a matcher for each choice, each with a walk of its own', async () => {
    const matchers = await constraints.matchers(regex('(ab|the)z'), 2);
    const [one, other] = matchers;
    if (one === undefined || other === undefined || matchers.length !== 2) throw new Error('not two');
    expect(allowedTexts(runner, one.mask(10_000)).sort()).toEqual(['a', 'ab', 't', 'th', 'the']);
    one.accept([runner.vocabulary.id('the')]);
    expect(allowedTexts(runner, one.mask(10_000))).toEqual(['z']);
    expect(allowedTexts(runner, other.mask(10_000))).toContain('ab');
    one.accept([runner.vocabulary.id('z')]);
    expect(allowedTexts(runner, one.mask(10_000)).sort()).toEqual(['<end_of_turn>', '<eos>']);
    for (const matcher of matchers) matcher.dispose();
  });

  it('that is wrong is refused with the place', async () => {
    const refusal = constraints.matchers(regex('a(b'), 1);
    await expect(refusal).rejects.toMatchObject({ code: 'constraint' });
    await expect(refusal).rejects.toThrow(/regex: .* at position 1 /);
  });

  it('that the compiler cannot read goes to the runner, once for each choice', async () => {
    const mask = Int32Array.of(5);
    const grammar: RunnerGrammar = {
      mask: () => mask,
      accept: () => undefined,
      forced: () => [],
      dispose: () => undefined,
    };
    const sources: string[] = [];
    const able = runnerWith((source) => {
      sources.push(source);
      return grammar;
    });
    const native = new Constraints(able, able.facts, OPTIONS);
    const matchers = await native.matchers(FOREIGN, 3);
    expect(matchers.map((matcher) => matcher.mask(0))).toEqual([mask, mask, mask]);
    expect(sources).toEqual([FOREIGN.grammar, FOREIGN.grammar, FOREIGN.grammar]);
    native.dispose();
  });

  it('that would keep the runner busy for long is not given to it', async () => {
    const able = runnerWith(() => {
      throw new Error('it was');
    });
    const native = new Constraints(able, able.facts, OPTIONS);
    const grammar = 'root ::= s\ns ::= [一-龥] s "a" | [一-龥] s "b" | [一-龥]';
    const refusal = native.matchers({ ...FOREIGN, grammar }, 1);
    await expect(refusal).rejects.toThrow(/^grammar: .*beyond ASCII.*recursion/);
    await expect(refusal).rejects.toMatchObject({ code: 'constraint' });
    native.dispose();
  });

  it('that keeps the runner busy for long ends its request', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const slow: RunnerGrammar = {
      mask: () => {
        clock += 499;
        return Int32Array.of(5);
      },
      accept: () => {
        clock += 501;
      },
      forced: () => [],
      dispose: () => undefined,
    };
    const able = runnerWith(() => slow);
    const native = new Constraints(able, able.facts, OPTIONS);
    const [matcher] = await native.matchers(FOREIGN, 1);
    expect(matcher?.mask(0)).toEqual(Int32Array.of(5));
    expect(() => matcher?.accept([1])).toThrow('grammar: it is too ambiguous to be followed');
    native.dispose();
    vi.restoreAllMocks();
  });

  it('that nobody can read is refused with what the compiler could not read', async () => {
    for (const unable of [createFakeRunner(), runnerWith(() => undefined)]) {
      const none = new Constraints(unable, unable.facts, OPTIONS);
      const refusal = none.matchers(FOREIGN, 1);
      await expect(refusal).rejects.toMatchObject({ code: 'constraint' });
      await expect(refusal).rejects.toThrow(/^grammar: .*beyond ASCII/);
      none.dispose();
    }
  });
});

/** A compilation under the test's control. */
interface Compilation {
  readonly constraint: Constraint;
  readonly choices: number;
  readonly resolve: (matchers: readonly OutputMatcher[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A host whose compiler answers when the test says so. */
class CompilingHost {
  readonly runner = createFakeRunner();
  readonly messages: FromEngine[] = [];
  readonly compilations: Compilation[] = [];
  readonly host: EngineHost;

  constructor() {
    vi.spyOn(Constraints.prototype, 'matchers').mockImplementation(
      (constraint, choices) =>
        new Promise((resolve, reject) => {
          this.compilations.push({ constraint, choices, resolve, reject });
        }),
    );
    this.host = new EngineHost({
      runner: this.runner,
      facts: this.runner.facts,
      options: OPTIONS,
      maxEmbedTokens: 32,
      librarySource: 'a table',
      send: (message) => this.messages.push(message),
    });
  }

  submit(key: number, changes: Partial<Submission> = {}): void {
    const { seed: _, ...sampling } = NEUTRAL_SAMPLING;
    const submission: Submission = {
      key,
      id: `r${key}`,
      prompt: { kind: 'text', text: 'hello', addSpecial: false, parseSpecial: false },
      sampling: { ...sampling, temperature: 0 },
      stop: { ...NEUTRAL_STOP, maxNewTokens: 8 },
      output: { ...NEUTRAL_OUTPUT, stream: true },
      n: 1,
      bestOf: 1,
      priority: 0,
      usePrefixCache: true,
      markers: [],
      ...changes,
    };
    this.host.receive({ kind: 'submit', submission });
  }

  matcher(text: string): TextMatcher {
    return new TextMatcher(this.runner.vocabulary, [text]);
  }

  last(key: number): WireEvent | undefined {
    return this.messages
      .flatMap((message) => (message.kind === 'step' ? message.events : []))
      .findLast(([of]) => of === key)?.[1];
  }

  text(key: number): string {
    const steps = this.messages.flatMap((message) => (message.kind === 'step' ? [message] : []));
    const shown = steps.flatMap(({ texts, events }) => [
      ...texts.filter(([of]) => of === key).map(([, , text]) => text),
      ...events.map(([of, event]) => (of === key && event.kind === 'delta' ? event.text : '')),
    ]);
    return shown.join('');
  }

  /** Lets turns pass. */
  async turns(count = 50): Promise<void> {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('while a constraint is compiled', () => {
  const constraint = regex('yes');
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('its request does not run, and every other does', async () => {
    const it = new CompilingHost();
    it.submit(1, { constraint });
    it.submit(2);
    await it.turns();
    expect([it.last(1), it.last(2)?.kind]).toEqual([undefined, 'finished']);
    const matcher = it.matcher('yes');
    it.compilations[0]?.resolve([matcher]);
    await it.turns();
    expect([it.text(1), it.last(1)?.kind, matcher.disposals]).toEqual(['yes', 'finished', 1]);
  });

  it('as many matchers are asked for as there are choices to generate', async () => {
    const it = new CompilingHost();
    it.submit(1, { constraint, n: 2, bestOf: 1 });
    it.submit(2, { constraint, n: 1, bestOf: 3 });
    expect(it.compilations.map(({ choices }) => choices)).toEqual([2, 3]);
  });

  it('a cancelled request is forgotten: nothing is computed or said', async () => {
    const it = new CompilingHost();
    it.submit(1, { constraint });
    it.submit(2, { constraint });
    it.host.receive({ kind: 'cancel', key: 1 });
    it.host.receive({ kind: 'cancel', key: 2 });
    const matcher = it.matcher('yes');
    it.compilations[0]?.resolve([matcher]);
    it.compilations[1]?.reject(new KoineError('constraint', 'too late to matter'));
    await it.turns();
    expect([it.last(1), it.last(2), matcher.disposals]).toEqual([undefined, undefined, 1]);
    expect(it.runner.counters.decodes).toBe(0);
  });

  it('a refusal is the end of its request, in its own words', async () => {
    const it = new CompilingHost();
    it.submit(1, { constraint });
    it.compilations[0]?.reject(new KoineError('constraint', 'regex: position 2: …', { field: 'constraint' }));
    await it.turns();
    expect(it.last(1)).toMatchObject({
      kind: 'failed',
      failure: { code: 'constraint', message: 'regex: position 2: …' },
    });
    expect(it.messages.some(({ kind }) => kind === 'log')).toBe(false);
  });

  it('a fault of ours is logged whole and told without detail', async () => {
    const it = new CompilingHost();
    it.submit(1, { constraint });
    it.compilations[0]?.reject(new Error('slot 7 is on fire'));
    await it.turns();
    expect(it.last(1)).toMatchObject({ kind: 'failed', failure: { code: 'internal' } });
    expect(JSON.stringify(it.last(1))).not.toContain('fire');
    expect(it.messages).toContainEqual(
      expect.objectContaining({ kind: 'log', text: expect.stringContaining('slot 7 is on fire') }),
    );
  });

  it('a prompt that turns out too long ends the matchers', async () => {
    const it = new CompilingHost();
    const text = 'x'.repeat(99);
    it.submit(1, { constraint, prompt: { kind: 'text', text, addSpecial: false, parseSpecial: false } });
    const matcher = it.matcher('yes');
    it.compilations[0]?.resolve([matcher]);
    await it.turns();
    expect(it.last(1)).toMatchObject({ kind: 'failed', failure: { code: 'too_long' } });
    expect(matcher.disposals).toBe(1);
  });
});
