import { describe, expect, it } from 'vitest';
import { FakeEngine } from '../../test/support/fake-engine.js';
import { startText, urlOf } from './summary.js';

const main = { host: '0.0.0.0', port: 8080, speaks: 'every dialect', prefixes: ['/openai', '/tgi'] };
const described = async () => ({
  ...(await new FakeEngine().describe()),
  id: 'small',
  aliases: ['default'],
  architecture: 'llama',
  parameters: 5_475_584,
  quantization: 'Q8_0',
  sizeBytes: 5_959_872,
  contextTokens: 2048,
  maxSequences: 16,
  adapters: [],
});

describe('what is printed at the start', () => {
  it('has the model, every address, and a line to try', async () => {
    const description = { ...(await described()), chatTemplate: '{{ messages }}' };
    const alone = { host: '127.0.0.1', port: 3000, speaks: 'tgi alone', prefixes: [] };
    expect(startText([{ description, threads: 2 }], [main, alone], false)).toBe(
      [
        'Model small (also default)',
        '  llama, 5.5M parameters, Q8_0, 5.96 MB',
        '  context 2048 tokens, 16 sequences at once, 2 threads',
        '',
        'Listening:',
        '  http://127.0.0.1:8080         every dialect',
        '  http://127.0.0.1:8080/openai  openai alone',
        '  http://127.0.0.1:8080/tgi     tgi alone',
        '  http://127.0.0.1:3000         tgi alone',
        '',
        'Try:',
        `  curl -N http://127.0.0.1:8080/v1/chat/completions -H 'content-type: application/json' -d '{"model":"small","messages":[{"role":"user","content":"Hello!"}],"stream":true}'`,
        '',
      ].join('\n'),
    );
  });

  it('asks for a completion where there is no chat template, with a key where one is needed', async () => {
    const { chatTemplate: _, ...description } = await described();
    const text = startText([{ description, threads: 1 }], [main], true);
    expect(text).toContain("/v1/completions -H 'authorization: Bearer YOUR_KEY'");
    expect(text).toContain('1 thread\n');
  });

  it('writes hosts as a client needs them', () => {
    expect(urlOf({ host: '::', port: 1 })).toBe('http://[::1]:1');
    expect(urlOf({ host: 'box.local', port: 1 })).toBe('http://box.local:1');
  });
});
