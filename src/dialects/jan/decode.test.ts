import { beforeEach, describe, expect, it } from 'vitest';
import { FakeEngine, type FakeEngineOptions } from '../../../test/support/fake-engine.js';
import type { GenerateRequest } from '../../protocol/index.js';
import { InvalidBody } from './check/fault.js';
import { readBody } from './check/structure.js';
import { type DecodeContext, decodeChat, decodeCompletion } from './decode.js';
import { chatBody, completionBody } from './schema.js';

let engine: FakeEngine;

function contextOf(options: FakeEngineOptions = {}): DecodeContext {
  engine = new FakeEngine(options);
  return { requestId: 'r', created: 1, engine, description: engine.description, shownModel: 'shown' };
}

let context: DecodeContext;
beforeEach(() => {
  context = contextOf();
});

const complete = async (body: object): Promise<GenerateRequest> => {
  const { requests } = await decodeCompletion(readBody(completionBody, body), context);
  const [request] = requests;
  if (request === undefined) throw new Error('no request');
  return request;
};
const chat = async (body: object): Promise<GenerateRequest> => {
  const { requests } = await decodeChat(readBody(chatBody, body), context);
  const [request] = requests;
  if (request === undefined) throw new Error('no request');
  return request;
};

describe('defaults', () => {
  it('of sampling are those of llama-cpp-python', async () => {
    for (const request of [await complete({}), await chat({})]) {
      expect(request.sampling).toEqual({
        temperature: 0.8,
        temperatureLast: true,
        topK: 40,
        topP: 0.95,
        minP: 0.05,
        typicalP: 1,
        repetitionPenalty: 1.1,
        presencePenalty: 0,
        frequencyPenalty: 0,
        frequencyMode: 'count',
        penaltyWindow: 64,
        penaltyScope: 'output',
        logitBias: [],
        mirostat: expect.objectContaining({ mode: 0 }),
        dry: expect.objectContaining({ multiplier: 0 }),
        xtc: expect.objectContaining({ probability: 0 }),
      });
      expect(request).toMatchObject({ n: 1, bestOf: 1, priority: 0, usePrefixCache: true, id: 'r' });
      expect(request.output).toMatchObject({ stream: false, logprobsOf: 'raw', prompt: false });
      expect(request.constraint).toBeUndefined();
    }
  });

  it('of length are 16 tokens for completions and none for chats', async () => {
    expect((await complete({})).stop.maxNewTokens).toBe(16);
    expect((await chat({})).stop.maxNewTokens).toBeUndefined();
  });
});

describe('sampling', () => {
  const sampled = async (body: object) => (await complete(body)).sampling;

  it('is greedy at 0 and without filters below', async () => {
    expect(await sampled({ temperature: 0, mirostat_mode: 2 })).toMatchObject({
      temperature: 0,
      mirostat: { mode: 0 },
    });
    expect(await sampled({ temperature: -1, mirostat_mode: 1 })).toMatchObject({
      temperature: 1,
      topK: 0,
      topP: 1,
      minP: 0,
      mirostat: { mode: 0 },
    });
  });

  it('by Mirostat replaces filters and temperature', async () => {
    expect(
      await sampled({ temperature: 0.3, mirostat_mode: 2, mirostat_tau: 3, mirostat_eta: 0.2 }),
    ).toMatchObject({
      temperature: 1,
      topK: 0,
      topP: 1,
      minP: 0,
      mirostat: { mode: 2, tau: 3, eta: 0.2 },
    });
  });

  it('keeps what is at the edge of sense usable', async () => {
    const { topP, repetitionPenalty } = await sampled({ top_p: 0, repeat_penalty: 0 });
    expect([topP > 0, repetitionPenalty > 0]).toEqual([true, true]);
  });

  it('takes null penalties as none', async () => {
    const given = await sampled({ presence_penalty: null, frequency_penalty: null });
    expect(given).toMatchObject({ presencePenalty: 0, frequencyPenalty: 0 });
    expect(await sampled({ presence_penalty: 1.5, frequency_penalty: -1 })).toMatchObject({
      presencePenalty: 1.5,
      frequencyPenalty: -1,
    });
  });

  it('takes a seed as it is, and -1 as none', async () => {
    expect((await sampled({ seed: 42 })).seed).toBe(42n);
    expect((await sampled({ seed: -2 })).seed).toBe(2n ** 64n - 2n);
    for (const seed of [null, -1, 4294967295]) expect(await sampled({ seed })).not.toHaveProperty('seed');
  });

  it('biases by id, or every token of a text', async () => {
    expect((await sampled({ logit_bias: { 5: 200, 7: -1.5 } })).logitBias).toEqual([
      [5, 200],
      [7, -1.5],
    ]);
    const texts = { 'one two': 3, ' two': 4 };
    const { logitBias } = await sampled({ logit_bias: texts, logit_bias_type: 'tokens' });
    const [one, two] = ['one', ' two'].map((text) => engine.tokenizer.idOf(text));
    expect(logitBias).toEqual([
      [one, 3],
      [two, 4],
    ]);
  });

  it('keeps both min_tokens and logit_bias', async () => {
    const request = await complete({ min_tokens: 4, logit_bias: { 5: 1 } });
    expect([request.stop.minNewTokens, request.sampling.logitBias]).toEqual([4, [[5, 1]]]);
  });
});

describe('stopping', () => {
  it('drops empty stop strings', async () => {
    expect((await complete({ stop: '' })).stop.stopStrings).toEqual([]);
    expect((await complete({ stop: ['', 'a', 'b'] })).stop.stopStrings).toEqual(['a', 'b']);
    expect((await complete({ stop: 'a' })).stop).toMatchObject({ stopStrings: ['a'], keepStopText: false });
  });

  it('has no bound where none is meant', async () => {
    for (const max_tokens of [0, null]) {
      expect((await complete({ max_tokens })).stop).not.toHaveProperty('maxNewTokens');
    }
    for (const max_tokens of [0, null, -1, -7]) {
      expect((await chat({ max_tokens })).stop).not.toHaveProperty('maxNewTokens');
    }
    expect((await chat({ max_tokens: 9, max_completion_tokens: 5 })).stop.maxNewTokens).toBe(5);
    expect((await chat({ max_tokens: 9 })).stop.maxNewTokens).toBe(9);
  });
});

describe('prompts', () => {
  it('are one request each', async () => {
    const body = readBody(completionBody, { prompt: ['a', 'b'], n: 2 });
    const { requests, shape } = await decodeCompletion(body, context);
    expect(requests.map(({ id, input, n }) => [id, input, n])).toEqual([
      ['r-0', { kind: 'text', text: 'a', addSpecial: true, parseSpecial: true }, 2],
      ['r-1', { kind: 'text', text: 'b', addSpecial: true, parseSpecial: true }, 2],
    ]);
    expect(shape).toMatchObject({ prompts: ['a', 'b'], n: 2, model: 'shown' });
  });

  it('may be missing: then the model begins by itself', async () => {
    for (const body of [{}, { prompt: [] }]) expect((await complete(body)).input).toMatchObject({ text: '' });
    // A model that adds no BOS is given one, or what it has instead.
    engine.tokenize = () => Promise.resolve([]);
    expect((await complete({})).input).toMatchObject({ kind: 'text', text: '<s>', parseSpecial: true });
  });

  it('with a suffix are filled in by models that can', async () => {
    context = contextOf({ description: { canInfill: true } });
    expect((await complete({ prompt: 'a', suffix: 'b' })).input).toEqual({
      kind: 'infill',
      prefix: 'a',
      suffix: 'b',
    });
    expect((await complete({ prompt: 'a', suffix: '' })).input.kind).toBe('text');
    context = contextOf();
    await expect(complete({ prompt: 'a', suffix: 'b' })).rejects.toThrow('no fill-in-the-middle tokens');
  });

  it('are scored when they are echoed with log-probabilities', async () => {
    expect((await complete({ echo: true, logprobs: 3 })).output).toMatchObject({
      logprobs: 3,
      promptLogprobs: 3,
    });
    expect((await complete({ logprobs: 3 })).output).not.toHaveProperty('promptLogprobs');
    expect((await complete({ echo: true })).output).toMatchObject({ prompt: false });
    expect((await complete({ logprobs: 1e9 })).output.logprobs).toBe(10_000);
  });
});

describe('best_of', () => {
  it('ranks more than n, and means nothing at its default', async () => {
    expect(await complete({ n: 2, best_of: 5 })).toMatchObject({ n: 2, bestOf: 5 });
    expect(await complete({ n: 3, best_of: 1 })).toMatchObject({ n: 3, bestOf: 3 });
    await expect(complete({ n: 3, best_of: 2 })).rejects.toThrow(InvalidBody);
  });
});

const definition = { name: 'f', description: 'd', parameters: { type: 'object' } };
const tools = [{ type: 'function', function: definition }];
const named = { type: 'function', function: { name: 'f' } };

describe('tools', () => {
  const inputOf = async (body: object) => {
    const { input } = await chat(body);
    if (input.kind !== 'chat') throw new Error('no chat');
    return input;
  };

  it('are free to be called unless something else is said', async () => {
    expect(await inputOf({ tools })).toMatchObject({ tools: [definition], toolChoice: { kind: 'auto' } });
    expect(await inputOf({ tools: [] })).toMatchObject({ tools: [], toolChoice: { kind: 'none' } });
    expect(await inputOf({ tools, tool_choice: 'none' })).toMatchObject({ toolChoice: { kind: 'none' } });
    expect((await chat({ tools })).constraint).toMatchObject({ kind: 'tool-call', mode: 'auto' });
  });

  it('are forced by a rule for the output', async () => {
    const one = { ...definition };
    expect((await chat({ tools, tool_choice: 'required' })).constraint).toEqual({
      kind: 'tool-call',
      tools: [one],
      mode: 'call',
      parallel: true,
    });
    const two = [...tools, { type: 'function', function: { name: 'g' } }];
    expect((await chat({ tools: two, tool_choice: named })).constraint).toEqual({
      kind: 'tool-call',
      tools: [one],
      mode: 'call',
      parallel: false,
    });
  });

  it('in the older form are the same, and win', async () => {
    const legacy = { functions: [definition], function_call: { name: 'f' } };
    const asked = { ...legacy, tools: [{ type: 'function', function: { name: 'g' } }], tool_choice: 'none' };
    expect(await inputOf(asked)).toMatchObject({
      tools: [definition],
      toolChoice: { kind: 'named', name: 'f' },
    });
    const { shape } = await decodeChat(readBody(chatBody, asked), context);
    expect(shape).toMatchObject({ isLegacyCall: true, isForcedCall: true });
  });

  it('that are not there cannot be chosen', async () => {
    await expect(chat({ tools, tool_choice: { type: 'function', function: { name: 'x' } } })).rejects.toThrow(
      "Tool choice 'x' not found in tools.",
    );
    await expect(chat({ functions: [], function_call: { name: 'x' } })).rejects.toMatchObject({
      details: { field: 'function_call' },
    });
    await expect(chat({ tool_choice: 'required' })).rejects.toThrow('needs tools');
  });
});

describe('rules for the output', () => {
  const ruleOf = async (body: object) => (await chat(body)).constraint;
  const schema = { type: 'object' };

  it('come from response_format in all its shapes', async () => {
    const rule = { kind: 'json-schema', schema, strict: false, whitespace: 'single' };
    expect(await ruleOf({ response_format: { type: 'text', schema } })).toBeUndefined();
    expect(await ruleOf({ response_format: { type: 'json_object' } })).toEqual({ kind: 'json-object' });
    expect(await ruleOf({ response_format: { type: 'json_object', schema } })).toEqual(rule);
    expect(
      await ruleOf({ response_format: { type: 'json_object', schema: JSON.stringify(schema) } }),
    ).toEqual(rule);
    expect(await ruleOf({ response_format: { type: 'json_schema', schema } })).toEqual(rule);
    const wrapped = { name: 'n', schema, strict: true };
    expect(await ruleOf({ response_format: { type: 'json_schema', json_schema: wrapped } })).toEqual({
      ...rule,
      strict: true,
    });
  });

  it('rank: a forced call, response_format, grammar', async () => {
    const grammar = 'root ::= "a"';
    const asGrammar = { kind: 'grammar', grammar, syntax: 'gbnf' };
    const format = { type: 'json_object' };
    expect(await ruleOf({ grammar })).toEqual(asGrammar);
    expect((await complete({ grammar })).constraint).toEqual(asGrammar);
    expect(await ruleOf({ grammar: '' })).toBeUndefined();
    expect(await ruleOf({ grammar, response_format: format })).toEqual({ kind: 'json-object' });
    expect(await ruleOf({ grammar, response_format: format, tools, tool_choice: named })).toMatchObject({
      kind: 'tool-call',
    });
    expect(await ruleOf({ grammar, tools })).toEqual(asGrammar);
  });

  it('hold the calls a model chooses to make', async () => {
    expect(await ruleOf({ tools })).toMatchObject({ kind: 'tool-call', mode: 'auto', parallel: true });
    expect(await ruleOf({ tools: [] })).toBeUndefined();
  });
});

describe('messages', () => {
  const messagesOf = async (messages: readonly object[]) => {
    const { input } = await chat({ messages });
    return input.kind === 'chat' ? input.messages : [];
  };

  it('of every role are understood', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    expect(
      await messagesOf([
        { role: 'system', content: 'S' },
        { role: 'developer', content: [{ type: 'text', text: 'D' }] },
        { role: 'user', content: null },
        { role: 'assistant', content: null, tool_calls: [call], function_call: call.function },
        { role: 'tool', content: 'T', tool_call_id: 'c' },
        { role: 'assistant', function_call: call.function },
        { role: 'function', content: 'F', name: 'f' },
      ]),
    ).toEqual([
      { role: 'system', content: [{ kind: 'text', text: 'S' }] },
      { role: 'system', content: [{ kind: 'text', text: 'D' }] },
      { role: 'user', content: [] },
      { role: 'assistant', content: [], toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
      { role: 'tool', content: [{ kind: 'text', text: 'T' }], toolCallId: 'c' },
      { role: 'assistant', content: [], toolCalls: [{ id: '', name: 'f', arguments: '{}' }] },
      { role: 'tool', content: [{ kind: 'text', text: 'F' }], name: 'f' },
    ]);
  });

  it('carry images as addresses or bytes, and no files', async () => {
    const image = (image_url: unknown) => [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
    const [message] = await messagesOf(image({ url: 'data:image/png;base64,AAAA', detail: 'high' }));
    expect(message?.content).toEqual([
      { kind: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'AAAA' }, detail: 'high' },
    ]);
    const [other] = await messagesOf(image('https://example.org/a.png'));
    expect(other?.content).toEqual([
      { kind: 'image', source: { kind: 'url', url: 'https://example.org/a.png' } },
    ]);
    for (const bad of ['file:///etc/passwd', '/etc/passwd', 'ftp://x/y', 'data:image/png,x']) {
      await expect(messagesOf(image(bad))).rejects.toThrow(InvalidBody);
    }
  });
});
