// The paths and fields of the two published TGI specifications, in our own words: what each field takes, whether
// null is fine, and what is required. A route that is not here must not exist.

/** What a field takes. */
export type FieldType =
  | 'string'
  | 'bool'
  | 'float'
  | 'count'
  | 'u32'
  | 'i32'
  | 'u64'
  | 'strings'
  | 'floats'
  | 'grammar'
  | 'messages'
  | 'tools'
  | 'tool-choice'
  | 'stream-options'
  | 'prompt';

/** One field of a body. */
export interface FieldSpec {
  readonly name: string;
  readonly type: FieldType;
  readonly required?: true;
  /** Null means "not given"; refused otherwise. */
  readonly nullable?: true;
  /** A value the route accepts, where the type's own example does not fit the limits. */
  readonly example?: unknown;
}

/** One route. */
export interface RouteSpec {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly fields?: readonly FieldSpec[];
  /** Fields below `parameters`. */
  readonly parameters?: readonly FieldSpec[];
  /** Answered without a key. */
  readonly open?: true;
  /** Left out of the OpenAPI document. */
  readonly undocumented?: true;
}

const opt = (name: string, type: FieldType, example?: unknown): FieldSpec => ({
  name,
  type,
  nullable: true,
  ...(example === undefined ? {} : { example }),
});
const flag = (name: string): FieldSpec => ({ name, type: 'bool' });

const PARAMETERS_V1: readonly FieldSpec[] = [
  opt('best_of', 'count', 1),
  flag('decoder_input_details'),
  flag('details'),
  flag('do_sample'),
  opt('frequency_penalty', 'float'),
  opt('grammar', 'grammar'),
  opt('max_new_tokens', 'u32', 20),
  opt('repetition_penalty', 'float'),
  opt('return_full_text', 'bool'),
  opt('seed', 'u64'),
  { name: 'stop', type: 'strings' },
  opt('temperature', 'float'),
  opt('top_k', 'i32', 10),
  opt('top_n_tokens', 'u32', 5),
  opt('top_p', 'float'),
  opt('truncate', 'count', 5),
  opt('typical_p', 'float'),
  flag('watermark'),
];
const PARAMETERS_V3: readonly FieldSpec[] = [opt('adapter_id', 'string'), ...PARAMETERS_V1];

const INPUTS: FieldSpec = { name: 'inputs', type: 'string', required: true };

const CHAT_SHARED: readonly FieldSpec[] = [
  opt('frequency_penalty', 'float'),
  opt('logit_bias', 'floats'),
  opt('logprobs', 'bool'),
  opt('max_tokens', 'u32', 20),
  opt('n', 'u32', 1),
  opt('presence_penalty', 'float'),
  opt('seed', 'u64'),
  flag('stream'),
  opt('temperature', 'float'),
  opt('top_logprobs', 'u32', 2),
  opt('top_p', 'float'),
];

const CHAT_V1: readonly FieldSpec[] = [
  ...CHAT_SHARED,
  { name: 'model', type: 'string', required: true },
  { name: 'messages', type: 'messages' },
];

const CHAT_V3: readonly FieldSpec[] = [
  ...CHAT_SHARED,
  { name: 'messages', type: 'messages', required: true },
  opt('model', 'string'),
  opt('response_format', 'grammar'),
  opt('stop', 'strings'),
  { name: 'stream_options', type: 'stream-options' },
  opt('tool_choice', 'tool-choice'),
  opt('tool_prompt', 'string'),
  opt('tools', 'tools', []),
];

const COMPLETION: readonly FieldSpec[] = [
  { name: 'prompt', type: 'prompt', required: true },
  opt('frequency_penalty', 'float'),
  opt('max_tokens', 'u32', 20),
  opt('model', 'string'),
  opt('repetition_penalty', 'float'),
  opt('seed', 'u64'),
  opt('stop', 'strings'),
  flag('stream'),
  opt('temperature', 'float'),
  opt('top_p', 'float'),
];

function generateRoutes(parameters: readonly FieldSpec[]): readonly RouteSpec[] {
  return [
    { method: 'POST', path: '/', fields: [INPUTS, flag('stream')], parameters },
    { method: 'POST', path: '/generate', fields: [INPUTS], parameters },
    {
      method: 'POST',
      path: '/generate_stream',
      fields: [INPUTS],
      parameters: parameters.filter(({ name }) => name !== 'decoder_input_details'),
    },
    { method: 'POST', path: '/tokenize', fields: [INPUTS], parameters },
    { method: 'GET', path: '/health', open: true },
    { method: 'GET', path: '/info', open: true },
    { method: 'GET', path: '/metrics', open: true },
    { method: 'GET', path: '/', open: true, undocumented: true },
    { method: 'GET', path: '/ping', open: true, undocumented: true },
    { method: 'POST', path: '/vertex', undocumented: true },
    { method: 'GET', path: '/docs', open: true, undocumented: true },
    { method: 'GET', path: '/docs/', open: true, undocumented: true },
    { method: 'GET', path: '/api-doc/openapi.json', open: true, undocumented: true },
  ];
}

/** 3.3.6. */
export const ROUTES_V3: readonly RouteSpec[] = [
  ...generateRoutes(PARAMETERS_V3),
  { method: 'POST', path: '/chat_tokenize', fields: CHAT_V3, open: true },
  { method: 'POST', path: '/invocations' },
  { method: 'POST', path: '/v1/chat/completions', fields: CHAT_V3 },
  { method: 'POST', path: '/v1/completions', fields: COMPLETION },
  { method: 'GET', path: '/v1/models', open: true },
];

/** 1.4.2. */
export const ROUTES_V1: readonly RouteSpec[] = [
  ...generateRoutes(PARAMETERS_V1),
  { method: 'POST', path: '/invocations', undocumented: true },
  { method: 'POST', path: '/v1/chat/completions', fields: CHAT_V1 },
];

/** Fields each version's answers have, in the order in which they are written. */
export const INFO_V3 =
  'model_id model_sha model_pipeline_tag max_concurrent_requests max_best_of max_stop_sequences max_input_tokens max_total_tokens validation_workers max_client_batch_size router version sha docker_label';
export const INFO_V1 =
  'model_id model_sha model_dtype model_device_type model_pipeline_tag max_concurrent_requests max_best_of max_stop_sequences max_input_length max_total_tokens waiting_served_ratio max_batch_total_tokens max_waiting_tokens max_batch_size validation_workers version sha docker_label';
