// Talks to a server that speaks the OpenAI dialect. Everything is greedy, so that a table can be repeated.

/** A chat message as sent. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

/** A call the model made. */
export interface Call {
  readonly name: string;
  readonly args: unknown;
}

/** What came back, whichever endpoint was asked. */
export interface Reply {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly Call[];
  /** True if the model ended by itself. */
  readonly ended: boolean;
}

/** A request of one of the two kinds. */
export type Ask =
  | {
      readonly kind: 'chat';
      readonly messages: readonly Message[];
      readonly tools?: readonly unknown[];
      readonly thinking?: boolean;
    }
  | { readonly kind: 'completion'; readonly prompt: string; readonly maxTokens?: number };

interface WireCall {
  readonly function: { readonly name: string; readonly arguments: string };
}

interface WireChoice {
  readonly finish_reason: string;
  readonly text?: string;
  readonly message?: {
    readonly content?: string | null;
    readonly reasoning_content?: string | null;
    readonly tool_calls?: readonly WireCall[];
  };
}

const MAX_TOKENS = 320;

/** Sends one request and returns the reply. */
export async function ask(url: string, model: string, request: Ask): Promise<Reply> {
  if (request.kind === 'completion') {
    const body = {
      model,
      prompt: request.prompt,
      temperature: 0,
      max_tokens: request.maxTokens ?? MAX_TOKENS,
    };
    const choice = firstChoice(await post(`${url}/v1/completions`, body));
    return { text: choice.text ?? '', reasoning: '', calls: [], ended: choice.finish_reason === 'stop' };
  }
  const body = {
    model,
    messages: request.messages,
    temperature: 0,
    max_tokens: MAX_TOKENS,
    chat_template_kwargs: { enable_thinking: request.thinking === true },
    ...(request.tools === undefined ? {} : { tools: request.tools }),
  };
  const choice = firstChoice(await post(`${url}/v1/chat/completions`, body));
  return {
    text: choice.message?.content ?? '',
    reasoning: choice.message?.reasoning_content ?? '',
    calls: (choice.message?.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
      name,
      args: parseJson(args),
    })),
    ended: choice.finish_reason !== 'length',
  };
}

/** Embeddings of some texts, in order. */
export async function embed(
  url: string,
  model: string,
  input: readonly string[],
): Promise<readonly (readonly number[])[]> {
  const reply = (await post(`${url}/v1/embeddings`, { model, input })) as {
    data: readonly { embedding: readonly number[] }[];
  };
  return reply.data.map((entry) => entry.embedding);
}

/** The first model the server lists. */
export async function firstModel(url: string): Promise<string> {
  const reply = await fetch(`${url}/v1/models`);
  const { data } = (await reply.json()) as { data: readonly { id: string }[] };
  return data[0]?.id ?? 'koine-demo';
}

/** The parsed JSON, or undefined for text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function post(address: string, body: unknown): Promise<unknown> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as unknown;
}

function firstChoice(reply: unknown): WireChoice {
  const choice = (reply as { choices: readonly WireChoice[] }).choices[0];
  if (choice === undefined) throw new Error('the reply has no choice');
  return choice;
}
