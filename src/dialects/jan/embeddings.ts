// POST /v1/embeddings: vectors of texts or token lists, as numbers or as base64.

import type { Exchange } from '../../http/index.js';
import type { Engine, ModelDescription } from '../../protocol/index.js';
import { fault, InvalidBody } from './check/fault.js';
import { checkTokens } from './extras.js';
import type { EmbeddingBody } from './schema.js';

/** Said of token ids that are not this model's; some clients count with another model's tokenizer. */
const HINT = '; send text rather than tokens of another model';

/** The body of the answer. Throws `InvalidBody` for tokens and dimensions the model does not have. */
export async function embed(
  exchange: Exchange,
  body: EmbeddingBody,
  engine: Engine,
  description: ModelDescription,
) {
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  check(body, inputs, description);
  const result =
    inputs.length === 0
      ? { vectors: [], usage: { promptTokens: 0 } }
      : await engine.embed(
          {
            id: exchange.id,
            model: description.id,
            inputs,
            // One vector per input is all this wire can carry.
            ...(description.pooling === 'none' && { pooling: 'mean' as const }),
            normalize: body.normalize ?? true,
            truncate: false,
          },
          exchange.signal,
        );
  const data = result.vectors.map(([vector = new Float32Array()], index) => ({
    object: 'embedding',
    embedding: shown(vector, body),
    index,
  }));
  const { promptTokens } = result.usage;
  return { data, usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } };
}

function check(
  { dimensions }: EmbeddingBody,
  inputs: readonly (string | readonly number[])[],
  description: ModelDescription,
): void {
  inputs.forEach((input, index) => {
    if (typeof input !== 'string') checkTokens(input, description, ['body', 'input', index], HINT);
  });
  const le = description.embeddingSize;
  if (dimensions === null || dimensions <= le) return;
  const msg = `Input should be less than or equal to ${le}, the size of this model's vectors`;
  throw new InvalidBody([fault('less_than_equal', ['body', 'dimensions'], msg, dimensions, { le })]);
}

function shown(vector: Float32Array, { dimensions, normalize, encoding_format }: EmbeddingBody) {
  let cut = vector;
  if (dimensions !== null && dimensions < vector.length) {
    cut = vector.slice(0, dimensions);
    const length = Math.hypot(...cut);
    if (normalize !== false && length > 0) cut = cut.map((value) => value / length);
  }
  return encoding_format === 'base64' ? base64Of(cut) : Array.from(cut);
}

/** Little-endian 32-bit floats, as clients read them whatever this machine's order. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  return bytes.toString('base64');
}
