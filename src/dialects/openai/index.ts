// The OpenAI dialect's door: chat completions, completions, embeddings and models.

import { type Dialect, isJsonMediaType } from '../../http/index.js';
import { refuse } from './errors.js';
import { type OpenAiOptions, openAiRoutes } from './routes.js';

export { lengthOf } from './encode/logprobs.js';
export { addUsage, DONE, NO_USAGE, type ReplyEncoder, type StreamEncoder } from './encode.js';
export { logged, WIRE_ERRORS, type WireError } from './errors.js';
export { resolveModel, type UnknownModel } from './models.js';
export type { OpenAiOptions } from './routes.js';
export { isWithin } from './within.js';

/** The dialect, ready to be mounted. Serves every model the router knows. */
export function openAiDialect(options: OpenAiOptions): Dialect {
  return {
    name: 'openai',
    routes: openAiRoutes(options),
    refuse,
    // Many small clients send JSON without saying so.
    acceptsMediaType: (mediaType) => mediaType === '' || isJsonMediaType(mediaType),
  };
}
