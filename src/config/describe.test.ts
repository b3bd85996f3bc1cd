import { describe, expect, it } from 'vitest';
import { REPLY_FORMATS } from '../chat/index.js';
import { describeSettings, settingsAsMarkdown } from './describe.js';
import { loadSettings } from './index.js';

describe('the settings told to people', () => {
  it('derives flag and environment name from the key', () => {
    expect(describeSettings().find((row) => row.key === 'ctxSize')).toMatchObject({
      flag: '--ctx-size N',
      env: 'KOINE_CTX_SIZE',
    });
  });

  it('shows defaults in a form that is itself allowed', async () => {
    const defaults = await loadSettings({ flags: {}, env: {}, cwd: '/' });
    const shown = describeSettings().filter((row) =>
      ['prefixCache', 'bodyLimit', 'keepAlive', 'drainTimeout'].includes(row.key),
    );
    const env = Object.fromEntries(shown.map((row) => [row.env, row.fallback]));
    expect(await loadSettings({ flags: {}, env, cwd: '/' })).toEqual(defaults);
  });

  it('offers the reply formats the chat room knows', () => {
    const row = describeSettings().find(({ key }) => key === 'replyFormat');
    expect(row?.allowed).toBe(`one of ${['auto', ...REPLY_FORMATS].join(', ')}`);
  });

  it('has a row for every setting', () => {
    const markdown = settingsAsMarkdown();
    for (const row of describeSettings()) expect(markdown).toContain(`\`${row.env}\``);
  });
});
