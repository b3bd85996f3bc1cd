// The door of the Jan dialect: the contract of llama-cpp-python 0.3.14, which the Jan API publishes.

import { type Dialect, isJsonMediaType } from '../../http/index.js';
import { refuse } from './errors.js';
import { type JanOptions, janRoutes } from './routes.js';

export type { Management } from './management.js';
export type { JanOptions } from './routes.js';

/** The dialect, ready to be mounted. Serves every model the router knows. */
export function janDialect(options: JanOptions): Dialect {
  return {
    name: 'jan',
    routes: janRoutes(options),
    refuse,
    // A body that does not say what it is, is taken for JSON.
    acceptsMediaType: (mediaType) => mediaType === '' || isJsonMediaType(mediaType),
  };
}
