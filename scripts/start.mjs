// `npm start [-- MODEL --flags]`: makes the clone ready, then is `koine serve` itself, in this very process.

import { makeReady, orExplain } from './ready.mjs';

await orExplain(async () => {
  makeReady();
  const { main } = await import('../dist/cli/main.js');
  await main(['serve', ...process.argv.slice(2)]);
});
