// `npm start [-- MODEL --flags]`: makes the clone ready, then is `koine serve` itself, in this very process.

import module from 'node:module';
import { makeReady, orExplain } from './ready.mjs';

// npm signals the shell that it started this process in, and most shells die of it without a word to anybody. Whose
// shell is gone has been told to stop.
if (process.env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

// Where Node can (22.8 on), compiled modules are kept from one start to the next.
module.enableCompileCache?.();
await orExplain(async () => {
  makeReady();
  const { main } = await import('../dist/cli/main.js');
  await main(['serve', ...process.argv.slice(2)]);
});
