// The /extras paths: text to tokens and back, without waiting for any generation.

import type { Engine, ModelDescription } from '../../protocol/index.js';
import { fault, InvalidBody } from './check/fault.js';

/** Tokens of a text, with BOS where the model wants one; special tokens written in the text count as such. */
export async function tokenIds(
  engine: Engine,
  { id: model }: ModelDescription,
  text: string,
): Promise<readonly number[]> {
  const spans = await engine.tokenize({ model, text, addSpecial: true, parseSpecial: true });
  return spans.map(({ id }) => id);
}

/**
 * The text of tokens, so that it undoes `tokenIds`: special tokens show nothing, and the space that some tokenizers put
 * before a text is taken away again. Throws `InvalidBody` for ids that are no tokens.
 */
export async function tokenText(
  engine: Engine,
  description: ModelDescription,
  tokens: readonly number[],
): Promise<string> {
  checkTokens(tokens, description, ['body', 'tokens']);
  const text = await engine.detokenize(tokens, false);
  if (!text.startsWith(' ')) return text;
  const [bos] = await tokenIds(engine, description, '');
  if (bos === undefined || bos !== tokens[0]) return text;
  return (await addsSpace(engine, description)) ? text.slice(1) : text;
}

/** Throws `InvalidBody` with every id that is not in the vocabulary. */
export function checkTokens(
  tokens: readonly number[],
  { id, vocabSize }: ModelDescription,
  loc: readonly (string | number)[],
  hint = '',
): void {
  const le = vocabSize - 1;
  const msg = `Input should be less than or equal to ${le}, the last token of '${id}'${hint}`;
  const faults = tokens.flatMap((token, index) =>
    token <= le ? [] : [fault('less_than_equal', [...loc, index], msg, token, { le })],
  );
  if (faults.length > 0) throw new InvalidBody(faults);
}

/** Whether the tokenizer puts a space before a text. */
async function addsSpace(engine: Engine, { id: model }: ModelDescription): Promise<boolean> {
  const spans = await engine.tokenize({ model, text: 'a', addSpecial: false, parseSpecial: false });
  const text = await engine.detokenize(
    spans.map(({ id }) => id),
    false,
  );
  return text.startsWith(' ');
}
