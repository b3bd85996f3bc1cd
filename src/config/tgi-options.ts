// Hands the TGI room its options.

import { DEFAULT_TGI_OPTIONS, type TgiOptions } from '../dialects/tgi/options.js';
import type { Settings } from './table.js';

/** The options of the TGI dialects. What cannot be set stays as that room has it. */
export function tgiOptionsOf(settings: Settings): TgiOptions {
  return {
    ...DEFAULT_TGI_OPTIONS,
    maxConcurrentRequests: settings.tgiMaxConcurrentRequests,
    maxBestOf: settings.tgiMaxBestOf,
    maxStopSequences: settings.tgiMaxStopSequences,
    maxTopNTokens: settings.tgiMaxTopNTokens,
    maxInputTokens: settings.tgiMaxInputTokens ?? null,
    maxTotalTokens: settings.tgiMaxTotalTokens ?? null,
    maxClientBatchSize: settings.tgiMaxClientBatchSize,
    payloadLimit: settings.tgiPayloadLimit ?? null,
    disableGrammarSupport: settings.tgiDisableGrammarSupport,
    validationWorkers: settings.tgiValidationWorkers,
    waitingServedRatio: settings.tgiWaitingServedRatio,
    maxWaitingTokens: settings.tgiMaxWaitingTokens,
    maxBatchSize: settings.tgiMaxBatchSize ?? null,
    messagesApiEnabled: settings.tgiMessagesApiEnabled,
    computeType: settings.tgiComputeType,
    watermarkGamma: settings.tgiWatermarkGamma,
    watermarkDelta: settings.tgiWatermarkDelta,
    keepAliveSeconds: settings.keepAlive / 1000,
  };
}
