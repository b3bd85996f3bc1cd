// Tokens of a text with their places in it, as `/tokenize` and `/chat_tokenize` show them.

import type { TokenSpan } from '../../../protocol/index.js';
import type { Target } from '../service.js';

/** The text's tokens as the engine sees them. */
export function tokenize(target: Target, text: string, addSpecial: boolean): Promise<readonly TokenSpan[]> {
  return target.engine.tokenize({ model: target.model.id, text, addSpecial, parseSpecial: true });
}

/**
 * `[{"id":1,"text":"","start":0,"stop":0}]`; places are UTF-8 bytes of `text`. A token that is a piece of a character
 * is shown with the whole of it, as TGI's tokenizers do.
 */
export function spansJson(text: string, spans: readonly TokenSpan[]): string {
  const bytes = Buffer.from(text);
  const items = spans.map((span) => {
    if (span.start === span.stop)
      return `{"id":${span.id},"text":"","start":${span.start},"stop":${span.stop}}`;
    let { start, stop } = span;
    while (start > 0 && isInside(bytes, start)) start--;
    while (stop < bytes.length && isInside(bytes, stop)) stop++;
    const shown = JSON.stringify(bytes.toString('utf8', start, stop));
    return `{"id":${span.id},"text":${shown},"start":${start},"stop":${stop}}`;
  });
  return `[${items.join(',')}]`;
}

/** Whether a byte continues a character rather than beginning one. */
function isInside(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}
