// POST /v1/embeddings: vectors of texts or token lists, as numbers or as base64.

import type { Exchange } from '../../http/index.js';
import type { Engine, ModelDescription } from '../../protocol/index.js';
import { KoineError } from '../../protocol/index.js';
import type { EmbeddingBody } from './schema.js';

/** Embeds and answers. Vectors have length 1; `dimensions` keeps the first of them and scales again. */
export async function embedReply(
  exchange: Exchange,
  body: EmbeddingBody,
  engine: Engine,
  description: ModelDescription,
): Promise<void> {
  const { dimensions, encoding_format: format } = body;
  if (dimensions !== undefined && dimensions > description.embeddingSize) {
    const message = `'dimensions' must be at most ${description.embeddingSize}, the size of this model's vectors.`;
    throw new KoineError('invalid_request', message, { field: 'dimensions' });
  }
  const adapter = body.adapter ?? body.lora;
  const result = await engine.embed(
    {
      id: exchange.id,
      model: description.id,
      inputs: inputsOf(body),
      // One vector per input is all this wire can carry.
      ...(description.pooling === 'none' && { pooling: 'mean' as const }),
      normalize: true,
      ...(adapter !== undefined && { adapter }),
      truncate: body.truncate_prompt_tokens !== undefined,
    },
    exchange.signal,
  );
  const data = result.vectors.map(([vector = new Float32Array()], index) => {
    const cut = dimensions === undefined ? vector : shortened(vector, dimensions);
    return { object: 'embedding', index, embedding: format === 'base64' ? base64Of(cut) : Array.from(cut) };
  });
  const { promptTokens } = result.usage;
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  exchange.sendJson(200, { object: 'list', data, model: description.id, usage });
}

function inputsOf({ input }: EmbeddingBody): readonly (string | readonly number[])[] {
  if (typeof input === 'string') return [input];
  const tokens = input.filter((item) => typeof item === 'number');
  if (tokens.length > 0) return [tokens];
  return input.flatMap((item) => (typeof item === 'number' ? [] : [item]));
}

function shortened(vector: Float32Array, dimensions: number): Float32Array {
  const cut = vector.slice(0, dimensions);
  const norm = Math.hypot(...cut);
  return norm === 0 ? cut : cut.map((value) => value / norm);
}

/** Little-endian 32-bit floats, as clients read them whatever this machine's order. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  return bytes.toString('base64');
}
