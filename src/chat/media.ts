// What a text-only model cannot take. Rooms that can (a projector) never call this.

import { type ChatInput, type ContentPart, KoineError } from '../protocol/index.js';

/** Throws `unsupported`, naming the first part that is not text. */
export function requireTextOnly(chat: ChatInput): void {
  for (const [index, message] of chat.messages.entries()) {
    const other = message.content.find((part) => part.kind !== 'text');
    if (other === undefined) continue;
    throw new KoineError(
      'unsupported',
      `This model reads text only, and messages[${index}] contains ${other.kind === 'image' ? 'an image' : 'audio'}.`,
      { field: `messages[${index}].content` },
    );
  }
}

/** The text of a message: its text parts joined without separator. */
export function textOf(content: readonly ContentPart[]): string {
  let text = '';
  for (const part of content) if (part.kind === 'text') text += part.text;
  return text;
}
