// The manual is true: its generated tables are current, and the lines it tells people to try do work.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsAsMarkdown } from '../../src/config/index.js';
import { startTestServer } from '../support/server.js';

const read = (path: string): string => readFileSync(path, 'utf8');

describe('the manual', () => {
  it('lists every setting as it is; `npm run docs` writes the table', () => {
    expect(read('docs/operations.md')).toContain(
      `<!-- settings -->\n\n${settingsAsMarkdown()}\n<!-- end of settings -->`,
    );
  });

  it('has no links to files that are not there', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      ...readdirSync('docs')
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ];
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
        .map(([, target = '']) => join(dirname(page), target))
        .filter((target) => !existsSync(target))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('tries what the README tells people to try', async () => {
    await using server = await startTestServer();
    const blocks = [...read('README.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    const lines = blocks
      .flatMap((block) => block.replaceAll('\\\n', '').split('\n'))
      .filter((line) => line.startsWith('curl'));
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) {
      const command = line.replaceAll('http://127.0.0.1:8080', server.url);
      const answer = execFileSync('sh', ['-c', `${command} --fail-with-body`], { encoding: 'utf8' });
      expect(answer).not.toBe('');
    }
  });
});
