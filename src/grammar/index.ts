// Constraints (JSON schema, regular expression, choice, tool call, raw grammar) as checked grammar text. Pure.

export { type CallMark, type CallMarks, callMarks } from './call-mark.js';
export { type GrammarSource, toGrammar } from './constraint.js';
export type { LeadEnd, ReplyLead } from './lead.js';
export { LIMITS } from './limits.js';
export { isNarrow } from './raw/extent.js';
export type { GuardShape, LengthGuard } from './schema/guard.js';
export type { Holding, ToolCallSyntax, ToolConstraint } from './tool-call.js';
