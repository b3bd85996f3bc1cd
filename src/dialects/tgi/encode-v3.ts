// How 3.3.6 frames what both versions have.

import type { Encoding } from './encode.js';
import { TgiError } from './errors.js';

/** 3.3.6: a space after `data:`, seconds with nanoseconds in x-compute-time, the prompt's length in the last event. */
export const ENCODING_V3: Encoding = {
  data: 'data: ',
  computeTime: (ms) => String(Number((ms / 1000).toFixed(9))),
  streamDetails: (promptTokens) => `,"input_length":${promptTokens}`,
  streamError: (error) =>
    error.type === 'incomplete_generation'
      ? new TgiError(500, 'incomplete_generation_stream', 'Incomplete generation stream', 'incomplete')
      : error,
};
