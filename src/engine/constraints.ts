// From a request's constraint to a matcher per choice: through the constraint room, or, for a grammar it cannot read,
// through the runner's own. Engine process.

import {
  detectReplyFormat,
  type ReplyLead,
  replyMarkers,
  type ToolFormat,
  toolCallSyntax,
} from '../chat/index.js';
import { isNarrow } from '../grammar/index.js';
import { type Constraint, KoineError } from '../protocol/index.js';
import { type CompileOptions, type ConstraintHost, createConstraintHost } from './constraint/index.js';
import type { ModelFacts, ModelRunner, RunnerGrammar } from './model-runner.js';
import type { EngineOptions } from './options.js';
import type { OutputMatcher } from './sequence.js';

/** Makes the matchers of requests. */
export class Constraints {
  readonly #runner: ModelRunner;
  readonly #host: ConstraintHost;
  /** The model's replies may open with reasoning between tags. */
  readonly #mayReason: boolean;

  /** `note` is told what is held less than its request says. */
  constructor(
    runner: ModelRunner,
    facts: ModelFacts,
    options: EngineOptions,
    note: (text: string) => void = () => undefined,
  ) {
    this.#runner = runner;
    const detected = detectReplyFormat(options.chatTemplate ?? facts.chatTemplate);
    const format = options.replyFormat === 'auto' ? detected.tools : (options.replyFormat as ToolFormat);
    this.#mayReason = detected.reasoning === 'think' && format !== 'harmony';
    this.#host = createConstraintHost({
      tokens: {
        size: runner.info.vocabSize,
        bytes: (token) => runner.tokenBytes(token),
        isControl: (token) => runner.isControl(token),
      },
      eogTokens: runner.info.eogTokens,
      toolSyntax: toolCallSyntax(format),
      markers: replyMarkers(format),
      note,
    });
  }

  /**
   * One matcher for each choice; none where there is nothing to follow after all. Throws `constraint`, naming what is
   * wrong with it, or `cancelled`.
   */
  async matchers(
    constraint: Constraint,
    choices: number,
    options: CompileOptions = {},
  ): Promise<readonly OutputMatcher[]> {
    if (constraint.kind === 'tool-call' && constraint.mode === 'auto' && constraint.answer === undefined) {
      const { lead, signal } = options;
      return this.#host.holdCalls(constraint, { choices, reasoning: this.#reasoning(lead), signal });
    }
    const outcome = await this.#host.compile(constraint, options);
    if (outcome.kind === 'compiled') {
      const { constraint: compiled } = outcome;
      const matchers = Array.from({ length: choices }, () => compiled.createMatcher());
      compiled.release();
      return matchers;
    }
    return this.#nativeMatchers(constraint, choices, outcome.reason);
  }

  dispose(): void {
    this.#host.dispose();
  }

  #reasoning(lead: ReplyLead | undefined): 'inside' | 'maybe' | 'none' {
    if (!this.#mayReason) return 'none';
    return lead?.reasoning?.begin === '' ? 'inside' : 'maybe';
  }

  #nativeMatchers(constraint: Constraint, choices: number, reason: string): readonly OutputMatcher[] {
    const source = constraint.kind === 'grammar' ? constraint.grammar : '';
    // It is followed in this thread, which has no limits; `watched` is for what this check cannot see.
    if (source !== '' && !isNarrow(source)) {
      throw new KoineError(
        'constraint',
        `grammar: ${reason}, which is supported only without recursion and doubling alternatives`,
        {
          field: 'constraint',
        },
      );
    }
    const matchers: OutputMatcher[] = [];
    for (let choice = 0; choice < choices; choice++) {
      const grammar = this.#runner.parseGrammar?.(source);
      if (grammar === undefined)
        throw new KoineError('constraint', `grammar: ${reason}`, { field: 'constraint' });
      matchers.push(watched(grammar));
    }
    return matchers;
  }
}

/** Longest time a grammar of the runner's may take for one token. Milliseconds. */
const LONGEST_CALL_MS = 500;

/**
 * A grammar that works in the engine's own thread, where every sequence waits for it: one whose ways double with each
 * token is ended, and its request with it, before that is felt for long.
 */
function watched(grammar: RunnerGrammar): OutputMatcher {
  const timed = <T>(call: () => T): T => {
    const begun = performance.now();
    const result = call();
    if (performance.now() - begun <= LONGEST_CALL_MS) return result;
    throw new KoineError('constraint', 'grammar: it is too ambiguous to be followed', {
      field: 'constraint',
    });
  };
  return {
    mask: () => timed(() => grammar.mask()),
    accept: (tokens) => timed(() => grammar.accept(tokens)),
    forced: () => grammar.forced(),
    dispose: () => grammar.dispose(),
  };
}
