// Tokens of a text with their places in it, as `/tokenize` and `/chat_tokenize` show them.

import type { TokenSpan } from '../../../protocol/index.js';
import type { Target } from '../service.js';

/** The text's tokens as the engine sees them. */
export function tokenize(target: Target, text: string, addSpecial: boolean): Promise<readonly TokenSpan[]> {
  return target.engine.tokenize({ model: target.model.id, text, addSpecial, parseSpecial: true });
}

/** `[{"id":1,"text":"","start":0,"stop":0}]`; places are UTF-8 bytes. */
export function spansJson(spans: readonly TokenSpan[]): string {
  const items = spans.map(
    ({ id, text, start, stop }) =>
      `{"id":${id},"text":${JSON.stringify(text)},"start":${start},"stop":${stop}}`,
  );
  return `[${items.join(',')}]`;
}
