// Structured output inside the engine process. See docs/structured-output.md.

export type { HeldCalls } from './held-calls.js';
export type { HoldOptions } from './hold-calls.js';
export {
  type CompiledConstraint,
  type CompileOptions,
  type CompileOutcome,
  type ConstraintHost,
  type ConstraintHostOptions,
  createConstraintHost,
} from './host.js';
export type { Matcher } from './matcher.js';
export type { TokenSource } from './vocabulary.js';
