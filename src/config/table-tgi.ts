// The limits of the TGI dialects, under TGI's own names after `tgi-`.

import { one } from './definition.js';
import { bytes, decimal, integer, pattern, toggle } from './kinds.js';

const tgi = { group: 'tgi' } as const;
const count = integer(1, 1_000_000);
const fromModel = { ...tgi, defaultText: 'from the model' };

export const TGI_TABLE = {
  tgiMaxConcurrentRequests: one(integer(1), 128, 'requests in flight; one more is refused with 429', tgi),
  tgiMaxBestOf: one(count, 2, 'largest `best_of`', tgi),
  tgiMaxStopSequences: one(integer(0), 4, 'most stop sequences of a request', tgi),
  tgiMaxTopNTokens: one(integer(0), 5, 'largest `top_n_tokens`', tgi),
  tgiMaxInputTokens: one(integer(1), undefined, 'longest prompt in tokens', fromModel),
  tgiMaxTotalTokens: one(integer(2), undefined, 'prompt plus new tokens', fromModel),
  tgiMaxClientBatchSize: one(count, 4, 'prompts of one completion request', tgi),
  tgiPayloadLimit: one(bytes, undefined, 'largest request body', {
    ...tgi,
    defaultText: "each version's own, 2 MB",
  }),
  tgiDisableGrammarSupport: one(toggle, false, 'refuse `grammar`', tgi),
  tgiValidationWorkers: one(integer(0), 2, 'reported by `/info`', tgi),
  tgiWaitingServedRatio: one(decimal(0, 1e6), 1.2, "reported by 1.4.2's `/info`", tgi),
  tgiMaxWaitingTokens: one(integer(0), 20, "reported by 1.4.2's `/info`", tgi),
  tgiMaxBatchSize: one(integer(1), undefined, "reported by 1.4.2's `/info`", { ...tgi, defaultText: 'none' }),
  tgiMessagesApiEnabled: one(toggle, false, "1.4.2's `/invocations` speaks chat", tgi),
  tgiComputeType: one(
    pattern('TEXT', /^[\x21-\x7e]+$/, 'printable ASCII without spaces'),
    'cpu+koine',
    'the header `x-compute-type`',
    { ...tgi, env: 'COMPUTE_TYPE' },
  ),
  tgiWatermarkGamma: one(decimal(0, 1), 0.5, 'green share of the watermark', tgi),
  tgiWatermarkDelta: one(decimal(0, 100), 2, 'added to the scores of green tokens', tgi),
};
