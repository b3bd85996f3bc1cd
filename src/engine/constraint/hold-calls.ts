// Calls the model may choose to make: from a request's tools to what each of its sequences follows. A request none of
// whose tools is strict never fails here and never waits: what cannot be held is not.

import {
  type CallMarks,
  callMarks,
  type Holding,
  type ToolCallSyntax,
  type ToolConstraint,
} from '../../grammar/index.js';
import { KoineError } from '../../protocol/index.js';
import { createCallGrammar, type GrammarSupply, type Ready } from './call-grammar.js';
import { CallWatch, type WatchStart } from './call-watch.js';
import { createHeldCalls, type HeldCalls } from './held-calls.js';
import type { Matcher } from './matcher.js';
import type { CompileTask, MatcherEntry } from './messages.js';

/** How the calls of one request are held. */
export interface HoldOptions {
  /** Sequences to follow. */
  readonly choices: number;
  /** Where the reply begins. */
  readonly reasoning: WatchStart['reasoning'];
  /** Aborted when the result is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
}

/** What is to be compiled, with the key it is known by. */
export type KeyedTask = Pick<CompileTask, 'key' | 'constraint' | 'holding' | 'mostSeconds'>;

/** What is needed of the host of constraints. */
export interface HoldParts {
  readonly syntax: ToolCallSyntax | undefined;
  readonly bytesOf: (token: number) => Uint8Array;
  /** The same content has the same key. Throws `constraint` for what is too large. */
  keyOf(constraint: ToolConstraint, holding: Holding): string;
  openNow(key: string, entry: MatcherEntry): Matcher | undefined;
  compile(task: KeyedTask, signal: AbortSignal): Promise<Ready>;
  readonly note: (text: string) => void;
}

/** Longest compilation that a request gets which works without. */
const MOST_SECONDS = 5;
/** Tool sets that are remembered as not to be compiled. */
const MOST_FAILURES = 512;

/** Holds the calls of requests. */
export class CallHolds {
  /** Keys of what could not be compiled, and complaints that were made. */
  private readonly failures = new Set<string>();

  constructor(private readonly parts: HoldParts) {}

  /**
   * One of it for each choice; none where calls cannot be held. Where a tool is strict it is compiled before, and what
   * is wrong with it thrown (`constraint`, or `cancelled`).
   */
  async hold(constraint: ToolConstraint, options: HoldOptions): Promise<readonly HeldCalls[]> {
    const { choices, reasoning, signal = new AbortController().signal } = options;
    const isStrict = constraint.tools.some(({ strict }) => strict === true);
    const supply = this.supply(constraint, isStrict);
    if (isStrict) (await supply.compile('whole', signal)).release();
    const calls = this.marks(constraint, isStrict);
    if (calls === undefined) return [];
    const { marks, isRest } = calls;
    const wiring = {
      grammar: createCallGrammar(supply, isStrict, choices),
      bytesOf: this.parts.bytesOf,
      isLast: isRest || !constraint.parallel,
      isStrict,
    };
    return Array.from({ length: choices }, () =>
      createHeldCalls(wiring, new CallWatch({ marks, reasoning })),
    );
  }

  private marks({ tools }: ToolConstraint, isStrict: boolean): CallMarks | undefined {
    const { syntax, note } = this.parts;
    if (syntax === undefined || tools.length === 0) return undefined;
    try {
      return callMarks(tools, syntax);
    } catch (error) {
      if (isStrict || !(error instanceof KoineError)) throw error;
      if (!this.failures.has(error.message)) note(`calls are not held: ${error.message}`);
      this.remember(error.message);
      return undefined;
    }
  }

  private remember(failure: string): void {
    this.failures.add(failure);
    for (const oldest of this.failures) {
      if (this.failures.size <= MOST_FAILURES) break;
      this.failures.delete(oldest);
    }
  }

  private supply(constraint: ToolConstraint, isStrict: boolean): GrammarSupply {
    const { parts, failures } = this;
    const tasks = new Map<Holding, KeyedTask>();
    const taskOf = (holding: Holding): KeyedTask => {
      const known = tasks.get(holding);
      if (known !== undefined) return known;
      const asked = holding === 'whole' ? constraint : withoutSchemas(constraint);
      const limit = isStrict ? {} : { mostSeconds: MOST_SECONDS };
      const task = { key: parts.keyOf(asked, holding), constraint: asked, holding, ...limit };
      tasks.set(holding, task);
      return task;
    };
    const keyOf = (holding: Holding): string | undefined => {
      try {
        return taskOf(holding).key;
      } catch {
        return undefined;
      }
    };
    return {
      openNow: (holding, entry) => {
        const key = keyOf(holding);
        return key === undefined ? undefined : parts.openNow(key, entry);
      },
      compile: async (holding, signal) => parts.compile(taskOf(holding), signal),
      hasFailed: (holding) => {
        const key = keyOf(holding);
        return key === undefined || failures.has(key);
      },
      failed: (holding, error) => {
        const key = keyOf(holding) ?? '';
        // Several of a request wait for the same compilation.
        if (failures.has(key)) return;
        this.remember(key);
        parts.note(
          `calls are held ${holding === 'whole' ? 'by name alone' : 'not at all'}: ${error.message}`,
        );
      },
    };
  }
}

function withoutSchemas(constraint: ToolConstraint): ToolConstraint {
  return { ...constraint, tools: constraint.tools.map(({ name }) => ({ name })) };
}
