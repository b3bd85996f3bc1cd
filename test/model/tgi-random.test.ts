// Generate requests with parameters at random against the real server: whatever they are, an answer keeps what TGI
// promises about counts, reasons, seeds, alternatives and texts, and the same request has the same answer.

import { beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ args: ['--parallel', '8'] });
  return () => server.stop();
});

interface Token {
  readonly text: string;
  readonly logprob: number | null;
  readonly special: boolean;
}
interface Details {
  readonly finish_reason: string;
  readonly generated_tokens: number;
  readonly seed: number | null;
  readonly input_length?: number;
}
/** A whole answer, or a stream put together. */
interface Answer {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly top: readonly (readonly Token[])[];
  readonly details: Details;
  readonly prefill: number;
}

const VALUES = {
  temperature: [0.01, 0.5, 1, 5, 100],
  top_k: [1, 2, 10, 5000],
  top_p: [0.01, 0.5, 0.99],
  typical_p: [0.01, 0.5, 0.95],
  repetition_penalty: [0.5, 1, 1.2, 3],
  frequency_penalty: [-2, -0.5, 0, 1, 2],
  max_new_tokens: [1, 2, 5, 17],
  do_sample: [true, false],
  return_full_text: [true, false],
  seed: [0, 1, 42],
  stop: [[], ['a'], ['the', ' '], ['.', '\n']],
  truncate: [1, 2, 5, 100],
  watermark: [true, false],
  top_n_tokens: [0, 1, 5],
  grammar: [
    { type: 'regex', value: '[a-z ]{3,8}' },
    { type: 'regex', value: '(é|😀|日本){2}' },
    { type: 'json', value: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } },
  ],
} as const;
const INPUTS = [
  'Once upon',
  'a',
  'Héllo 😀 wörld',
  'The sky is blue. '.repeat(20),
  ' ',
  '<|im_start|>',
  '{"a":',
];
type Parameters = { [K in keyof typeof VALUES]?: (typeof VALUES)[K][number] };

/** A generator of its own, so that a failure can be repeated. */
function random(state: number) {
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const parameters = (): Parameters => {
    const chosen = Object.entries(VALUES).filter(() => next() < 0.3);
    return {
      max_new_tokens: 17,
      ...Object.fromEntries(chosen.map(([name, from]) => [name, pick<unknown>(from)])),
    };
  };
  return { pick, parameters };
}

async function ask(path: string, inputs: string, parameters: object): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs, parameters: { details: true, ...parameters } }),
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"error":')) throw new Error(text);
  if (!path.endsWith('_stream')) {
    const { generated_text, details } = JSON.parse(text) as {
      generated_text: string;
      details: Details & { tokens: Token[]; prefill: unknown[]; top_tokens?: Token[][] };
    };
    const { tokens, prefill, top_tokens: top = [] } = details;
    return { text: generated_text, tokens, top, details, prefill: prefill.length };
  }
  const events = text
    .split('\n\n')
    // Comments keep a connection open on which nothing was said for a while.
    .filter((frame) => frame !== '' && !frame.startsWith(':'))
    .map(
      (frame) =>
        JSON.parse(frame.slice('data:'.length)) as {
          index: number;
          token: Token;
          top_tokens?: Token[];
          generated_text: string | null;
          details: Details | null;
        },
    );
  expect(events.map(({ index }) => index)).toEqual(events.map((_, i) => i + 1));
  const last = events.at(-1);
  if (last?.details == null) throw new Error('a stream without an end');
  const top = events.flatMap(({ top_tokens }) => (top_tokens === undefined ? [] : [top_tokens]));
  const tokens = events.map(({ token }) => token);
  return { text: last.generated_text ?? '', tokens, top, details: last.details, prefill: 0 };
}

const shown = (tokens: readonly Token[]): string =>
  tokens.map(({ special, text }) => (special ? '' : text)).join('');

function check(inputs: string, p: Parameters, { text, tokens, top, details }: Answer): void {
  const { finish_reason: reason, seed } = details;
  const most = p.max_new_tokens ?? 17;
  expect(details.generated_tokens).toBe(tokens.length);
  // A token that ends inside a character at the very end shows nothing.
  expect(text).toBe((p.return_full_text === true ? inputs : '') + shown(tokens));
  for (const { logprob } of tokens) expect(logprob).toBeLessThanOrEqual(1e-6);
  expect(reason === 'length').toBe(tokens.length === most);
  if (reason === 'eos_token') expect(tokens.at(-1)?.special).toBe(true);
  const stops = (of: string): boolean => (p.stop ?? []).some((stop) => of.includes(stop));
  if (reason === 'stop_sequence') expect(stops(shown(tokens))).toBe(true);
  expect(stops(shown(tokens.slice(0, -1)))).toBe(false);
  const { do_sample, temperature = 1, top_k, top_p, typical_p } = p;
  const samples = do_sample === true || temperature !== 1 || (top_k ?? top_p ?? typical_p) !== undefined;
  expect(seed !== null).toBe(samples);
  if (samples && p.seed !== undefined) expect(seed).toBe(p.seed);
  expect(top).toHaveLength((p.top_n_tokens ?? 0) > 0 ? tokens.length : 0);
  for (const each of top) {
    const scores = each.map(({ logprob }) => logprob ?? 0);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.length).toBeGreaterThan(0);
  }
}

describe('requests at random', { timeout: 120_000 }, () => {
  it.each([1, 2])('keep their promises in both versions, whole and streamed (%i)', async (state) => {
    const { pick, parameters } = random(state);
    for (let round = 0; round < 15; round++) {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const [inputs, given] = [pick(INPUTS), parameters()];
          const path = pick([
            '/tgi/generate',
            '/tgi/generate_stream',
            '/tgi-1.4/generate',
            '/tgi-1.4/generate_stream',
          ]);
          const answer = await ask(path, inputs, given);
          expect(
            () => check(inputs, given, answer),
            JSON.stringify({ path, inputs, given, answer }),
          ).not.toThrow();
          expect(answer.details.input_length !== undefined).toBe(path === '/tgi/generate_stream');
        }),
      );
    }
  });

  it('have one answer, alone and among others, whole, streamed and without details', async () => {
    const { pick, parameters } = random(3);
    // Sums of floats come out otherwise in batches of another shape, so two nearly equal tokens may change places.
    let differing = 0;
    for (let round = 0; round < 15; round++) {
      const [inputs, given] = [pick(INPUTS), { seed: round, ...parameters() }];
      const alone = await ask('/tgi/generate', inputs, given);
      const others = await Promise.all([
        ask('/tgi/generate', inputs, given),
        ask('/tgi/generate_stream', inputs, given),
        ask('/tgi/generate_stream', inputs, { ...given, top_n_tokens: 2 }),
      ]);
      differing += others.filter(({ text }) => text !== alone.text).length;
    }
    expect(differing).toBeLessThanOrEqual(1);
  });
});
