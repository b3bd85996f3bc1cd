// How 1.4.2 frames what both versions have.

import type { Encoding } from './encode.js';

/** 1.4.2: no space after `data:`, whole milliseconds in x-compute-time. */
export const ENCODING_V1: Encoding = {
  data: 'data:',
  computeTime: (ms) => String(Math.floor(ms)),
  streamDetails: () => '',
  streamError: (error) => error,
};
