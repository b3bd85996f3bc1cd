// `npm run build`: installs if needed and compiles when stale.

import { makeReady, orExplain } from './ready.mjs';

await orExplain(makeReady);
