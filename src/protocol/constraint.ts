// What the output must look like. Every dialect's grammar, response_format or tool_choice maps to this one union.

import type { JsonSchema, ToolDefinition } from './message.js';

/** A rule the whole output follows. The engine enforces it token by token. */
export type Constraint =
  | { readonly kind: 'json-object' }
  | {
      readonly kind: 'json-schema';
      readonly schema: JsonSchema;
      /** Refuse unsupported keywords (true) or ignore them (false). */
      readonly strict: boolean;
      /** Allowed whitespace between JSON tokens; compact is what models produce best. */
      readonly whitespace: 'none' | 'single' | 'any';
    }
  | { readonly kind: 'regex'; readonly pattern: string }
  | { readonly kind: 'grammar'; readonly grammar: string; readonly syntax: 'gbnf' | 'ebnf' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | {
      /** One of these tools, then its arguments, in the format the model's template speaks. */
      readonly kind: 'tool-call';
      readonly tools: readonly ToolDefinition[];
      /** `call`: must call; `auto`: free text until a call begins, then the call follows its schema. */
      readonly mode: 'call' | 'auto';
      readonly parallel: boolean;
      /** `auto` only: what a reply follows that is no call; absent = free text. */
      readonly answer?: Constraint;
    };
