import { describe, expect, it } from 'vitest';
import { type ErrorCode, KoineError, type ModelDescription, NEUTRAL_SAMPLING } from '../../protocol/index.js';
import { type DecodeContext, decodeChat, decodeCompletion } from './decode.js';
import { ChatBody, CompletionBody } from './schema.js';
import { bodyCheck } from './validate.js';

const description: ModelDescription = {
  id: 'm',
  aliases: [],
  architecture: 'llama',
  quantization: 'Q8_0',
  parameters: 1,
  sizeBytes: 1,
  vocabSize: 1000,
  embeddingSize: 8,
  contextTokens: 100,
  trainedContextTokens: 100,
  maxSequences: 1,
  pooling: 'mean',
  adapters: [],
  bosText: '',
  eosText: '',
  eogTokens: [],
  canInfill: false,
  loadedAt: 0,
};

const context: DecodeContext = { requestId: 'r', created: 0, description, fingerprint: 'fp', replyId: 'x' };
const checkChat = bodyCheck(ChatBody);
const checkCompletion = bodyCheck(CompletionBody);
const messages = [{ role: 'user', content: 'hi' }];

function chat(body: object) {
  const { requests, shape } = decodeChat(checkChat({ messages, ...body }), context);
  const [request] = requests;
  if (request === undefined || request.input.kind !== 'chat') throw new Error('no chat');
  return { request, shape, input: request.input };
}

function completion(body: object, canInfill = false) {
  return decodeCompletion(checkCompletion(body), { ...context, description: { ...description, canInfill } });
}

/** Code and field of what a decode throws. */
function refusal(run: () => unknown): { code: ErrorCode; field?: string | undefined; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof KoineError)
      return { code: error.code, field: error.details.field, message: error.message };
    throw error;
  }
  throw new Error('was not refused');
}

describe('sampling', () => {
  it('has the defaults of OpenAI', () => {
    const { request } = chat({});
    expect(request.sampling).toEqual(NEUTRAL_SAMPLING);
    expect(request.stop).toEqual({
      minNewTokens: 0,
      stopStrings: [],
      stopTokens: [],
      ignoreEos: false,
      keepStopText: false,
    });
    expect(request).toMatchObject({ n: 1, bestOf: 1, priority: 0, usePrefixCache: true });
    expect(request.output).toMatchObject({ stream: false, tokens: false, prompt: false });
    expect(request.output.logprobs).toBeUndefined();
    expect(completion({ prompt: 'x' }).requests[0]?.stop.maxNewTokens).toBe(16);
  });

  it('takes nulls as absent', () => {
    const nulls = {
      temperature: null,
      stop: null,
      tools: null,
      logit_bias: null,
      seed: null,
      response_format: null,
    };
    expect(chat(nulls).request).toEqual(chat({}).request);
  });

  it('maps every field', () => {
    const { request } = chat({
      temperature: 0.5,
      top_p: 0,
      top_k: -1,
      min_p: 0.1,
      typical_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: -1,
      repetition_penalty: 1.2,
      logit_bias: { 5: -100, 6: 2.5 },
      seed: -2,
      mirostat: 2,
      mirostat_tau: 4,
      mirostat_eta: 0.2,
      dry_multiplier: 0.8,
      dry_base: 2,
      dry_allowed_length: 3,
      dry_penalty_last_n: 64,
      dry_sequence_breakers: ['.'],
      xtc_probability: 0.5,
      xtc_threshold: 0.2,
      max_tokens: 5,
      max_completion_tokens: 7,
      min_tokens: 2,
      ignore_eos: true,
      stop: ['a', '', 'b'],
      stop_token_ids: [3],
      include_stop_str_in_output: true,
      skip_special_tokens: false,
      lora: 'l',
      priority: 2,
      truncate_prompt_tokens: 9,
      cache_prompt: false,
      n: 3,
      stream: true,
    });
    expect(request.sampling).toMatchObject({
      temperature: 0.5,
      topP: 1e-6,
      topK: 0,
      minP: 0.1,
      typicalP: 0.9,
      presencePenalty: 1,
      frequencyPenalty: -1,
      repetitionPenalty: 1.2,
      penaltyScope: 'all',
      logitBias: [
        [5, Number.NEGATIVE_INFINITY],
        [6, 2.5],
      ],
      seed: 2n ** 64n - 2n,
      mirostat: { mode: 2, tau: 4, eta: 0.2 },
      dry: { multiplier: 0.8, base: 2, allowedLength: 3, window: 64, breakers: ['.'] },
      xtc: { probability: 0.5, threshold: 0.2 },
    });
    expect(request.stop).toEqual({
      maxNewTokens: 7,
      minNewTokens: 2,
      stopStrings: ['a', 'b'],
      stopTokens: [3],
      ignoreEos: true,
      keepStopText: true,
    });
    expect(request.output).toMatchObject({ stream: true, specialTokens: true });
    expect(request).toMatchObject({
      adapter: 'l',
      priority: 2,
      truncateTo: 9,
      usePrefixCache: false,
      n: 3,
      bestOf: 3,
    });
  });

  it('takes -1 for no bound and for a random seed', () => {
    const { request } = chat({ max_tokens: -1, seed: -1 });
    expect(request.stop.maxNewTokens).toBeUndefined();
    expect(request.sampling.seed).toBeUndefined();
  });

  it('names the field that is wrong, and what it must be', () => {
    const cases: readonly (readonly [object, string, string])[] = [
      [{ temperature: 2.5 }, 'temperature', "'temperature' must be at most 2, not 2.5."],
      [{ top_p: 'x' }, 'top_p', "'top_p' must be a number, not a string."],
      [{ n: 0 }, 'n', "'n' must be at least 1, not 0."],
      [{ n: 1.5 }, 'n', "'n' must be an integer, not a number."],
      [{ stop: Array(17).fill('x') }, 'stop', "'stop' must be a string or an array of at most 16 strings."],
      [
        { repetition_penalty: 0 },
        'repetition_penalty',
        "'repetition_penalty' must be greater than 0, not 0.",
      ],
      [{ logit_bias: { 1: 'x' } }, 'logit_bias[1]', "'logit_bias[1]' must be a number, not a string."],
      [{ messages: [] }, 'messages', "'messages' must be an array that is not empty."],
      [{ messages: [{ content: 'x' }] }, 'messages[0].role', "'messages[0].role' is required."],
      [{ stream: 'yes' }, 'stream', "'stream' must be true or false, not a string."],
      [
        { response_format: { type: 'xml' } },
        'response_format.type',
        "'response_format.type' must be one of 'text', ",
      ],
    ];
    for (const [body, field, message] of cases) {
      const got = refusal(() => chat(body));
      expect(got).toMatchObject({ code: 'invalid_request', field });
      expect(got.message.startsWith(message)).toBe(true);
    }
    expect(refusal(() => chat({ logit_bias: { x: 1 } }))).toMatchObject({ field: 'logit_bias' });
    expect(refusal(() => checkChat([])).message).toBe(
      'The request body must be a JSON object, not an array.',
    );
    expect(refusal(() => checkChat({})).message).toBe("'messages' is required.");
  });
});

describe('messages', () => {
  it('maps roles, parts, calls and results', () => {
    const { input } = chat({
      messages: [
        { role: 'developer', content: 'be kind' },
        {
          role: 'user',
          name: 'ann',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
            { type: 'image_url', image_url: 'https://x/y.png' },
            { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '42' }] },
        { role: 'assistant', content: null, function_call: { name: 'g', arguments: '{}' } },
        { role: 'function', name: 'g', content: 'ok' },
      ],
    });
    const text = (value: string) => [{ kind: 'text', text: value }];
    expect(input.messages).toEqual([
      { role: 'system', content: text('be kind') },
      {
        role: 'user',
        name: 'ann',
        content: [
          { kind: 'text', text: 'look' },
          { kind: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'AAAA' }, detail: 'low' },
          { kind: 'image', source: { kind: 'url', url: 'https://x/y.png' } },
          { kind: 'audio', source: { kind: 'data', mediaType: 'audio/wav', base64: 'BBBB' }, format: 'wav' },
        ],
      },
      {
        role: 'assistant',
        content: [],
        reasoning: 'hm',
        toolCalls: [{ id: 'c1', name: 'f', arguments: '{"a":1}' }],
      },
      { role: 'tool', toolCallId: 'c1', content: text('42') },
      { role: 'assistant', content: [], toolCalls: [{ id: '', name: 'g', arguments: '{}' }] },
      { role: 'tool', name: 'g', content: text('ok') },
    ]);
  });

  it('refuses messages without content and parts it does not know', () => {
    const one = (message: object) => refusal(() => chat({ messages: [message] }));
    expect(one({ role: 'user' })).toMatchObject({ field: 'messages[0].content' });
    expect(one({ role: 'assistant', content: null })).toMatchObject({ field: 'messages[0].content' });
    expect(one({ role: 'user', content: [{ type: 'video' }] })).toMatchObject({
      code: 'unsupported',
      field: 'messages[0].content[0].type',
    });
    expect(one({ role: 'user', content: [{ type: 'image_url', image_url: {} }] })).toMatchObject({
      field: 'messages[0].content[0].image_url.url',
    });
  });

  it('continues the last message where vLLM would', () => {
    const own = [...messages, { role: 'assistant', content: 'Well' }];
    expect(chat({ messages: own }).input.continueFinal).toBe(false);
    expect(chat({ messages: own, add_generation_prompt: false }).input.continueFinal).toBe(true);
    expect(chat({ messages: own, continue_final_message: true }).input.continueFinal).toBe(true);
    expect(refusal(() => chat({ continue_final_message: true }))).toMatchObject({
      field: 'continue_final_message',
    });
  });

  it('hands template variables on', () => {
    const { input } = chat({
      reasoning_effort: 'low',
      chat_template_kwargs: { enable_thinking: null, x: 1 },
    });
    expect(input.variables).toEqual({ reasoning_effort: 'low', enable_thinking: null, x: 1 });
  });
});

describe('tools and rules', () => {
  const schema = { type: 'object', properties: { a: { enum: [null, 1] } } };
  const tool = { type: 'function', function: { name: 'f', description: 'd', parameters: schema } };
  const definition = { name: 'f', description: 'd', parameters: schema };

  it('lets the model choose by default', () => {
    const { input, request, shape } = chat({ tools: [tool] });
    expect(input).toMatchObject({
      tools: [definition],
      toolChoice: { kind: 'auto' },
      parallelToolCalls: true,
    });
    expect(request.constraint).toEqual({
      kind: 'tool-call',
      tools: [definition],
      mode: 'auto',
      parallel: true,
    });
    expect(shape.isLegacyCall).toBe(false);
    const strict = { ...tool, function: { ...tool.function, strict: true } };
    expect(chat({ tools: [strict], parallel_tool_calls: false }).request.constraint).toMatchObject({
      tools: [{ ...definition, strict: true }],
      parallel: false,
    });
  });

  it('forces a call, a named call, or none', () => {
    const other = { type: 'function', function: { name: 'g' } };
    const tools = [tool, other];
    expect(
      chat({ tools, tool_choice: 'required', parallel_tool_calls: false }).request.constraint,
    ).toMatchObject({
      mode: 'call',
      tools: [definition, { name: 'g' }],
      parallel: false,
    });
    const named = chat({ tools, tool_choice: { type: 'function', function: { name: 'g' } } });
    expect(named.input.toolChoice).toEqual({ kind: 'named', name: 'g' });
    expect(named.request.constraint).toMatchObject({ mode: 'call', tools: [{ name: 'g' }] });
    expect(chat({ tools, tool_choice: 'none' }).request.constraint).toBeUndefined();
    const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [other] } };
    expect(chat({ tools, tool_choice: allowed }).request.constraint).toMatchObject({
      tools: [{ name: 'g' }],
    });
  });

  it('refuses choices that name nothing', () => {
    const choice = { type: 'function', function: { name: 'h' } };
    expect(refusal(() => chat({ tools: [tool], tool_choice: choice })).field).toBe('tool_choice');
    expect(refusal(() => chat({ tool_choice: 'required' })).field).toBe('tool_choice');
    expect(refusal(() => chat({ tools: [{ type: 'custom', custom: {} }] })).code).toBe('unsupported');
    expect(chat({ tools: [], tool_choice: 'auto' }).input.toolChoice).toEqual({ kind: 'auto' });
  });

  it('reads the older form', () => {
    const { input, shape } = chat({ functions: [{ name: 'f' }], function_call: { name: 'f' } });
    expect(input).toMatchObject({ tools: [{ name: 'f' }], toolChoice: { kind: 'named', name: 'f' } });
    expect(input.parallelToolCalls).toBe(false);
    expect(shape.isLegacyCall).toBe(true);
  });

  it('maps every rule for the output', () => {
    const rule = (body: object) => chat(body).request.constraint;
    const json = { kind: 'json-schema', schema, strict: false, whitespace: 'single' };
    expect(rule({ response_format: { type: 'text' } })).toBeUndefined();
    expect(rule({ response_format: { type: 'json_object' } })).toEqual({ kind: 'json-object' });
    expect(rule({ response_format: { type: 'json_object', schema } })).toEqual(json);
    expect(
      rule({ response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } } }),
    ).toEqual({ ...json, strict: true });
    expect(rule({ response_format: { type: 'regex_schema', regex_schema: 'a+' } })).toEqual({
      kind: 'regex',
      pattern: 'a+',
    });
    expect(rule({ guided_json: JSON.stringify(schema) })).toEqual(json);
    expect(rule({ guided_regex: 'a+' })).toEqual({ kind: 'regex', pattern: 'a+' });
    expect(rule({ guided_choice: ['a', 'b'] })).toEqual({ kind: 'choice', choices: ['a', 'b'] });
    expect(rule({ guided_grammar: 'g' })).toEqual({ kind: 'grammar', grammar: 'g', syntax: 'ebnf' });
    expect(rule({ grammar: 'g' })).toEqual({ kind: 'grammar', grammar: 'g', syntax: 'gbnf' });
  });

  it('lets a reply be a call or follow the rule, where the model may choose', () => {
    const answer = { kind: 'regex', pattern: 'a' };
    const both = { guided_regex: 'a', tools: [tool] };
    expect(chat(both).request.constraint).toMatchObject({ kind: 'tool-call', mode: 'auto', answer });
    const forced = chat({ ...both, tool_choice: 'required' }).request.constraint;
    expect(forced).toMatchObject({ kind: 'tool-call', mode: 'call' });
    expect(forced).not.toHaveProperty('answer');
    expect(chat({ ...both, tool_choice: 'none' }).request.constraint).toEqual(answer);
  });

  it('refuses two rules for one output', () => {
    expect(refusal(() => chat({ guided_regex: 'a', guided_choice: ['b'] })).field).toBe('guided_choice');
    expect(refusal(() => chat({ grammar: 'root ::= "a"', tools: [tool] })).code).toBe('unsupported');
    expect(chat({ guided_regex: 'a', tools: [tool], tool_choice: 'none' }).request.constraint?.kind).toBe(
      'regex',
    );
    expect(refusal(() => chat({ guided_json: '{' })).code).toBe('constraint');
    expect(refusal(() => chat({ response_format: { type: 'json_schema' } })).field).toBe(
      'response_format.json_schema',
    );
  });
});

describe('completions', () => {
  const inputs = (body: object) => completion(body).requests.map(({ input }) => input);

  it('takes text, tokens and batches of both', () => {
    const text = (value: string) => ({ kind: 'text', text: value, addSpecial: true, parseSpecial: true });
    expect(inputs({ prompt: 'a' })).toEqual([text('a')]);
    expect(inputs({})).toEqual([text('')]);
    expect(inputs({ prompt: ['a', 'b'] })).toEqual([text('a'), text('b')]);
    expect(inputs({ prompt: [1, 2] })).toEqual([{ kind: 'tokens', tokens: [1, 2] }]);
    expect(inputs({ prompt: [[1], [2, 3]] })).toEqual([
      { kind: 'tokens', tokens: [1] },
      { kind: 'tokens', tokens: [2, 3] },
    ]);
    expect(completion({ prompt: ['a', 'b'] }).requests.map(({ id }) => id)).toEqual(['r-0', 'r-1']);
    expect(refusal(() => completion({ prompt: [] })).field).toBe('prompt');
    expect(refusal(() => completion({ prompt: ['a', 1] })).field).toBe('prompt');
  });

  it('asks for the prompt where the reply shows it', () => {
    const output = (body: object) => completion({ prompt: 'a', ...body }).requests[0]?.output;
    expect(output({ echo: true })).toMatchObject({ prompt: true });
    expect(output({ logprobs: 2 })).toMatchObject({ prompt: true, logprobs: 2 });
    expect(output({ logprobs: 2 })?.promptLogprobs).toBeUndefined();
    expect(output({ logprobs: 2, echo: true })).toMatchObject({ promptLogprobs: 2 });
  });

  it('fills in the middle where the model can', () => {
    expect(completion({ prompt: 'a', suffix: 'b' }, true).requests[0]?.input).toEqual({
      kind: 'infill',
      prefix: 'a',
      suffix: 'b',
    });
    expect(refusal(() => completion({ prompt: 'a', suffix: 'b' }))).toMatchObject({
      code: 'unsupported',
      field: 'suffix',
    });
    expect(refusal(() => completion({ prompt: ['a'], suffix: 'b' }, true)).field).toBe('suffix');
  });

  it('wants best_of to hold n, and not in a stream', () => {
    expect(completion({ prompt: 'a', n: 2, best_of: 4 }).requests[0]).toMatchObject({ n: 2, bestOf: 4 });
    expect(refusal(() => completion({ prompt: 'a', n: 2, best_of: 1 })).field).toBe('best_of');
    expect(refusal(() => completion({ prompt: 'a', best_of: 2, stream: true })).code).toBe('unsupported');
  });

  it('wants logprobs for top_logprobs in a chat', () => {
    expect(refusal(() => chat({ top_logprobs: 2 })).field).toBe('top_logprobs');
    expect(chat({ logprobs: true }).request.output.logprobs).toBe(0);
    expect(chat({ logprobs: true, top_logprobs: 3 }).request.output.logprobs).toBe(3);
  });
});
