// The paths and fields of the published Jan API (0.3.14), in our own words: what each field takes, its bounds, whether
// null is fine, and what is required; then the fields this server takes beyond it. A path that is not here must not exist.

/** What a field takes. */
export type FieldType =
  | 'string'
  | 'strings'
  | 'bool'
  | 'int'
  | 'float'
  | 'ids'
  | 'embedding-input'
  | 'bias'
  | 'bias-type'
  | 'messages'
  | 'functions'
  | 'function-call'
  | 'tools'
  | 'tool-choice'
  | 'format'
  | 'encoding'
  | 'stream-options'
  | 'object';

/** One field of a body. */
export interface FieldSpec {
  readonly name: string;
  readonly type: FieldType;
  readonly required?: true;
  readonly nullable?: true;
  readonly ge?: number;
  readonly le?: number;
  /** Not in the published document. */
  readonly ours?: true;
}

/** One route. */
export interface RouteSpec {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly fields?: readonly FieldSpec[];
}

type Extra = Omit<FieldSpec, 'name' | 'type'>;
const field = (name: string, type: FieldType, extra: Extra = {}): FieldSpec => ({ name, type, ...extra });
const nullable = (name: string, type: FieldType, extra: Extra = {}): FieldSpec =>
  field(name, type, { ...extra, nullable: true });

const GENERATION: readonly FieldSpec[] = [
  field('min_tokens', 'int', { ge: 0 }),
  field('temperature', 'float'),
  field('top_p', 'float', { ge: 0, le: 1 }),
  field('min_p', 'float', { ge: 0, le: 1 }),
  nullable('stop', 'strings'),
  field('stream', 'bool'),
  nullable('presence_penalty', 'float', { ge: -2, le: 2 }),
  nullable('frequency_penalty', 'float', { ge: -2, le: 2 }),
  nullable('logit_bias', 'bias'),
  nullable('seed', 'int'),
  nullable('model', 'string'),
  nullable('n', 'int', { ge: 1, le: 128 }),
  nullable('user', 'string'),
  field('top_k', 'int', { ge: 0 }),
  field('repeat_penalty', 'float', { ge: 0 }),
  nullable('logit_bias_type', 'bias-type'),
  field('mirostat_mode', 'int', { ge: 0, le: 2 }),
  field('mirostat_tau', 'float', { ge: 0, le: 10 }),
  field('mirostat_eta', 'float', { ge: 0.001, le: 1 }),
  nullable('grammar', 'string'),
  nullable('stream_options', 'stream-options', { ours: true }),
];

const COMPLETION: readonly FieldSpec[] = [
  ...GENERATION,
  field('prompt', 'strings'),
  nullable('suffix', 'string'),
  nullable('max_tokens', 'int', { ge: 0 }),
  field('echo', 'bool'),
  nullable('logprobs', 'int', { ge: 0 }),
  nullable('best_of', 'int', { ge: 1, le: 128 }),
];

const CHAT: readonly FieldSpec[] = [
  ...GENERATION,
  field('messages', 'messages'),
  nullable('functions', 'functions'),
  nullable('function_call', 'function-call'),
  nullable('tools', 'tools'),
  nullable('tool_choice', 'tool-choice'),
  nullable('max_tokens', 'int'),
  nullable('logprobs', 'bool'),
  nullable('top_logprobs', 'int', { ge: 0 }),
  nullable('response_format', 'format'),
  nullable('max_completion_tokens', 'int', { ours: true }),
  nullable('parallel_tool_calls', 'bool', { ours: true }),
  nullable('chat_template_kwargs', 'object', { ours: true }),
];

const EMBEDDING: readonly FieldSpec[] = [
  nullable('model', 'string'),
  field('input', 'embedding-input', { required: true }),
  nullable('user', 'string'),
  nullable('encoding_format', 'encoding', { ours: true }),
  nullable('dimensions', 'int', { ge: 1, le: 8, ours: true }),
  nullable('normalize', 'bool', { ours: true }),
];

const TOKENIZE: readonly FieldSpec[] = [
  nullable('model', 'string'),
  field('input', 'string', { required: true }),
];

/** Every path. */
export const ROUTES: readonly RouteSpec[] = [
  { method: 'POST', path: '/v1/completions', fields: COMPLETION },
  { method: 'POST', path: '/v1/engines/copilot-codex/completions', fields: COMPLETION },
  { method: 'POST', path: '/v1/chat/completions', fields: CHAT },
  { method: 'POST', path: '/v1/embeddings', fields: EMBEDDING },
  { method: 'GET', path: '/v1/models' },
  { method: 'POST', path: '/extras/tokenize', fields: TOKENIZE },
  { method: 'POST', path: '/extras/tokenize/count', fields: TOKENIZE },
  {
    method: 'POST',
    path: '/extras/detokenize',
    fields: [nullable('model', 'string'), field('tokens', 'ids', { required: true })],
  },
];

/** A value off its type: what was sent, the word of the fault, and where it is below the field. */
export type Bad = readonly [value: unknown, type: string, ...below: (string | number)[]];

const PARAMETERS = { type: 'object', properties: { a: { type: 'number', minimum: 0.5 } }, required: ['a'] };
const FUNCTION = { name: 'f', description: 'd', parameters: PARAMETERS };
const USER = { role: 'user', content: 'a' };
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

/** Per type: values it takes, and values it does not. */
export const TYPES: Readonly<Record<FieldType, { good: readonly unknown[]; bad: readonly Bad[] }>> = {
  string: {
    good: ['a', 'é😀', ''],
    bad: [
      [5, 'string_type'],
      [true, 'string_type'],
      [['a'], 'string_type'],
    ],
  },
  strings: {
    good: ['a', [], ['a'], ['a', 'b']],
    bad: [
      [5, 'string_type'],
      [{}, 'string_type'],
      [[5], 'string_type', 0],
      [['a', [1]], 'string_type', 1],
    ],
  },
  bool: {
    good: [false, 0, 'false', 'no', 'off', '0', 'False'],
    bad: [
      ['maybe', 'bool_parsing'],
      [2, 'bool_parsing'],
      [[], 'bool_type'],
    ],
  },
  int: {
    good: [1, 1.0, '1', ' 1 ', true],
    bad: [
      [1.5, 'int_from_float'],
      ['1.5', 'int_parsing'],
      ['one', 'int_parsing'],
      [[], 'int_type'],
      [{}, 'int_type'],
    ],
  },
  float: {
    good: [0.5, 1, '0.5', '1e-1', true],
    bad: [
      ['hot', 'float_parsing'],
      ['', 'float_parsing'],
      [[], 'float_type'],
      [{}, 'float_type'],
    ],
  },
  ids: {
    good: [[], [1, 5], ['5']],
    bad: [
      ['a', 'list_type'],
      [['a'], 'int_parsing', 0],
      [[1, 2.5], 'int_from_float', 1],
      [[-1], 'greater_than_equal', 0],
      [[5, 10_000], 'less_than_equal', 1],
    ],
  },
  'embedding-input': {
    good: ['a', '', [], ['a', 'b'], [5, 6], [[5, 6], [7]]],
    bad: [
      [5, 'string_type'],
      [['a', 5], 'string_type', 1],
      [[5, 'a'], 'int_parsing', 1],
      [[[5], 6], 'list_type', 1],
      [[5, 10_000], 'less_than_equal', 0, 1],
    ],
  },
  bias: {
    good: [{}, { 5: 1 }, { 5: -100.5, 6: '7' }],
    bad: [
      [[], 'dict_type'],
      ['a', 'dict_type'],
      [{ 5: 'a' }, 'float_parsing', '5'],
      [{ 5: null }, 'float_type', '5'],
      [{ word: 1 }, 'int_parsing', 'word'],
      [{ 10000: 1 }, 'less_than_equal', '10000'],
    ],
  },
  'bias-type': {
    good: ['input_ids', 'tokens'],
    bad: [
      ['words', 'literal_error'],
      [5, 'literal_error'],
    ],
  },
  messages: {
    good: [
      [],
      [{ role: 'system', content: null }, USER],
      [{ role: 'developer', content: 'a' }],
      [{ role: 'user', content: null }],
      [{ role: 'user', content: [{ type: 'text', text: 'a' }], name: 'ann' }],
      [USER, { role: 'assistant' }],
      [USER, { role: 'assistant', content: null, tool_calls: [CALL], refusal: null }],
      [USER, { role: 'assistant', function_call: CALL.function }],
      [{ role: 'tool', content: [{ type: 'text', text: 'a' }], tool_call_id: 'c' }],
      [{ role: 'function', content: 'a', name: 'f' }],
    ],
    bad: [
      ['a', 'list_type'],
      [['a'], 'dict_type', 0],
      [[{ content: 'a' }], 'missing', 0, 'role'],
      [[{ role: 'robot', content: 'a' }], 'literal_error', 0, 'role'],
      [[{ role: 5, content: 'a' }], 'literal_error', 0, 'role'],
      [[{ role: 'user' }], 'missing', 0, 'content'],
      [[{ role: 'user', content: 5 }], 'string_type', 0, 'content'],
      [[USER, { role: 'system' }], 'missing', 1, 'content'],
      [[{ role: 'user', content: [{ type: 'text' }] }], 'missing', 0, 'content', 0, 'text'],
      [[{ role: 'user', content: [{ text: 'a' }] }], 'missing', 0, 'content', 0, 'type'],
      [[{ role: 'user', content: [{ type: 'video' }] }], 'literal_error', 0, 'content', 0, 'type'],
      [[{ role: 'user', content: ['a'] }], 'dict_type', 0, 'content', 0],
      [[{ role: 'user', content: [{ type: 'image_url' }] }], 'missing', 0, 'content', 0, 'image_url'],
      [
        [{ role: 'user', content: [{ type: 'image_url', image_url: 'file:///etc/passwd' }] }],
        'value_error',
        0,
        'content',
        0,
        'image_url',
      ],
      [[{ role: 'tool', content: 'a' }], 'missing', 0, 'tool_call_id'],
      [[{ role: 'function', content: 'a' }], 'missing', 0, 'name'],
      [[{ role: 'assistant', tool_calls: [{ ...CALL, id: 5 }] }], 'string_type', 0, 'tool_calls', 0, 'id'],
      [[{ role: 'assistant', function_call: { name: 'f' } }], 'missing', 0, 'function_call', 'arguments'],
    ],
  },
  functions: {
    good: [[], [FUNCTION], [{ name: 'f' }]],
    bad: [
      [{}, 'list_type'],
      [[{ description: 'd' }], 'missing', 0, 'name'],
      [[{ name: 'f', parameters: 'p' }], 'dict_type', 0, 'parameters'],
    ],
  },
  'function-call': {
    good: ['none', 'auto'],
    bad: [
      ['always', 'literal_error'],
      [5, 'literal_error'],
      [{}, 'missing', 'name'],
    ],
  },
  tools: {
    good: [[], [{ type: 'function', function: FUNCTION }], [{ type: 'function', function: { name: 'f' } }]],
    bad: [
      ['a', 'list_type'],
      [[{ function: FUNCTION }], 'missing', 0, 'type'],
      [[{ type: 'search', function: FUNCTION }], 'literal_error', 0, 'type'],
      [[{ type: 'function' }], 'missing', 0, 'function'],
      [[{ type: 'function', function: {} }], 'missing', 0, 'function', 'name'],
    ],
  },
  'tool-choice': {
    good: ['none', 'auto'],
    bad: [
      ['always', 'literal_error'],
      [5, 'literal_error'],
      [{ type: 'function' }, 'missing', 'function'],
      [{ type: 'function', function: {} }, 'missing', 'function', 'name'],
    ],
  },
  format: {
    good: [
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_object', schema: null },
      { type: 'json_object', schema: PARAMETERS },
      { type: 'json_object', schema: true },
      { type: 'json_object', schema: '{"type":"string"}' },
      { type: 'json_schema', json_schema: { name: 'n', schema: PARAMETERS, strict: true } },
    ],
    bad: [
      ['json_object', 'dict_type'],
      [{}, 'missing', 'type'],
      [{ type: 'yaml' }, 'literal_error', 'type'],
      [{ type: 'json_object', schema: 5 }, 'value_error', 'schema'],
      [{ type: 'json_object', schema: 'no json' }, 'value_error', 'schema'],
      [{ type: 'json_schema', json_schema: 'a' }, 'dict_type', 'json_schema'],
      [{ type: 'json_schema' }, 'missing', 'json_schema'],
    ],
  },
  encoding: { good: ['float', 'base64'], bad: [['hex', 'literal_error']] },
  'stream-options': {
    good: [{}, { include_usage: true }, { include_usage: null }],
    bad: [
      ['a', 'dict_type'],
      [{ include_usage: 'perhaps' }, 'bool_parsing', 'include_usage'],
    ],
  },
  object: { good: [{}, { enable_thinking: false }], bad: [[[], 'dict_type']] },
};

/** What null is off a type that does not take it. */
export const NULL_FAULTS: Readonly<Partial<Record<FieldType, string>>> = {
  string: 'string_type',
  strings: 'string_type',
  bool: 'bool_type',
  int: 'int_type',
  float: 'float_type',
  ids: 'list_type',
  'embedding-input': 'string_type',
  messages: 'list_type',
};
