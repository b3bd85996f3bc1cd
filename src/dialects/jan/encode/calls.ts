// Function calls as this wire shows them: with ids that tell place and name, and mirrored in the older form.

/** One call, whole or as far as it has come. */
export interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/** `call__0_get_time_cmpl-...`: unique within a message, the same in every answer to it. */
export function callId(index: number, name: string, suffix: string): string {
  return `call__${index}_${name}_${suffix}`;
}

/** The `message` of a chat's choice. A single call is also shown as `function_call`. */
export function messageOf(content: string, reasoning: string, calls: readonly Call[]) {
  const [first, second] = calls;
  const said = { role: 'assistant', ...(reasoning !== '' && { reasoning_content: reasoning }) };
  if (first === undefined) return { content, ...said };
  return {
    content: content === '' ? null : content,
    tool_calls: calls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    })),
    ...said,
    ...(second === undefined && { function_call: { name: first.name, arguments: first.arguments } }),
  };
}
