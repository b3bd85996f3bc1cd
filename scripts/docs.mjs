// `npm run docs`: writes the generated parts of the manual, which is the settings table in docs/operations.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeReady, orExplain, root } from './ready.mjs';

await orExplain(async () => {
  makeReady();
  const { settingsAsMarkdown } = await import('../dist/config/index.js');
  const file = join(root, 'docs', 'operations.md');
  const [before, after] = readFileSync(file, 'utf8').split(
    /(?<=<!-- settings -->\n)[\s\S]*(?=<!-- end of settings -->)/,
  );
  writeFileSync(file, `${before}\n${settingsAsMarkdown()}\n${after}`);
});
