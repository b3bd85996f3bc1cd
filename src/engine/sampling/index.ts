// Door of the sampling room: from a row of logits to a token. Stopping, text and grammars are other rooms' business.

export { type Alternative, rowLogprobs, type TokenLogprobs } from './logprobs.js';
export { choiceSeed } from './random.js';
export { type SamplerOptions, SequenceSampler, type StepRules } from './sampler.js';
export { detectWatermark, type WatermarkScore } from './watermark.js';
export { createSamplerWorkspace, type Workspace as SamplerWorkspace } from './workspace.js';
