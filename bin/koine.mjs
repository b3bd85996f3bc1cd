#!/usr/bin/env node
// The command `koine`. Runs what the build left in dist; `npm start` builds by itself.

import { existsSync } from 'node:fs';
import module from 'node:module';

// Where Node can (22.8 on), compiled modules are kept from one start to the next.
module.enableCompileCache?.();
const entry = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(entry)) {
  const { main } = await import(entry.href);
  await main(process.argv.slice(2));
} else {
  console.error('Koine is not built yet: run `npm run build` here once, or start it with `npm start`.');
  process.exitCode = 1;
}
