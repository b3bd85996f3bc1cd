// `npm start [-- MODEL --flags]`: makes the clone ready, then is `koine serve` itself, in this very process.

import module from 'node:module';
import { makeReady, orExplain } from './ready.mjs';

// Where Node can (22.8 on), compiled modules are kept from one start to the next.
module.enableCompileCache?.();
await orExplain(async () => {
  makeReady();
  const { main } = await import('../dist/cli/main.js');
  await main(['serve', ...process.argv.slice(2)]);
});
