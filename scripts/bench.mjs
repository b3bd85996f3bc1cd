// `npm run bench -- NAME [...]`: makes the clone ready and runs bench/NAME.ts. Without a name it lists what there is.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeReady, NotReady, orExplain, root } from './ready.mjs';

await orExplain(() => {
  makeReady();
  const [name, ...args] = process.argv.slice(2);
  const names = readdirSync(join(root, 'bench'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -'.ts'.length));
  const file = join(root, 'bench', `${name}.ts`);
  if (name === undefined || !names.includes(name) || !existsSync(file)) {
    throw new NotReady(`Usage: npm run bench -- NAME, where NAME is one of: ${names.join(', ')}.`);
  }
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', file, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
});
