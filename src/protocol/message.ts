// Chat messages, tools and content parts, in the shape every dialect decodes to. Imports nothing.

/** One piece of a message. Media parts are carried from the first day; a model that cannot take them refuses. */
export type ContentPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly source: MediaSource; readonly detail?: 'auto' | 'low' | 'high' }
  | { readonly kind: 'audio'; readonly source: MediaSource; readonly format?: string };

/** Where media bytes come from: an address to fetch, or the bytes in base64. */
export type MediaSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'data'; readonly mediaType: string; readonly base64: string };

/** A function call made by the assistant. `arguments` is JSON text, exactly as generated. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** One turn of a conversation. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: readonly ContentPart[]; readonly name?: string }
  | { readonly role: 'user'; readonly content: readonly ContentPart[]; readonly name?: string }
  | {
      readonly role: 'assistant';
      readonly content: readonly ContentPart[];
      readonly reasoning?: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly name?: string;
    }
  | {
      readonly role: 'tool';
      readonly content: readonly ContentPart[];
      readonly toolCallId?: string;
      readonly name?: string;
    };

/** A JSON schema document. */
export type JsonSchema = Readonly<Record<string, unknown>> | boolean;

/** A function the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments; absent means an object without properties. */
  readonly parameters?: JsonSchema;
  /** Whether the arguments must follow the schema also when the model chose the tool freely. */
  readonly strict?: boolean;
}

/** How the model may use tools. */
export type ToolChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'required' }
  | { readonly kind: 'named'; readonly name: string };
