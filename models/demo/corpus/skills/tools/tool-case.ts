// What a case of tool use is: a tool, a sentence that asks for it, the arguments it gives, the result and what to say then.
import type { Random } from '../../random.js';
import type { Json, Tool } from '../../render.js';

/** One use of one tool. */
export interface ToolCase {
  readonly tool: Tool;
  readonly ask: string;
  readonly args: Readonly<Record<string, Json>>;
  /** What the tool returns. */
  readonly result: string;
  /** What the model says about the result. */
  readonly reply: string;
}

/** Draws a case. */
export type CaseMaker = (random: Random) => ToolCase;
