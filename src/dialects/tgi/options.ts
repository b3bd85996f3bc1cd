// The settings of the TGI dialects under TGI's own names (flags in kebab case, read in config). Limits that
// depend on the model are null until it is known. api-key and cors-allow-origin belong to the listener (http).

/** Settings of one mounted TGI dialect. */
export interface TgiOptions {
  /** Requests in flight; one more is refused at once with 429. */
  readonly maxConcurrentRequests: number;
  readonly maxBestOf: number;
  readonly maxStopSequences: number;
  readonly maxTopNTokens: number;
  /** Longest prompt in tokens; null = derived from the model (3.3.6) or 1024 (1.4.2). */
  readonly maxInputTokens: number | null;
  /** Prompt plus new tokens; null = the model's context (3.3.6) or 2048 (1.4.2). */
  readonly maxTotalTokens: number | null;
  /** Prompts of one `/v1/completions` request. */
  readonly maxClientBatchSize: number;
  /** Largest body in bytes; null = 2,000,000 (3.3.6) or 2 MiB (1.4.2). */
  readonly payloadLimit: number | null;
  readonly disableGrammarSupport: boolean;
  /** Reported by `/info`; validation here needs no workers. */
  readonly validationWorkers: number;
  /** Reported by 1.4.2's `/info`. */
  readonly waitingServedRatio: number;
  /** Reported by 1.4.2's `/info`. */
  readonly maxWaitingTokens: number;
  /** Reported by 1.4.2's `/info`; null = none. */
  readonly maxBatchSize: number | null;
  /** 1.4.2: `/invocations` speaks chat. */
  readonly messagesApiEnabled: boolean;
  /** Reported by 1.4.2's `/info`: `cpu` or `cuda`. */
  readonly deviceType: string;
  /** `x-compute-type` of every answer. */
  readonly computeType: string;
  /** Hub facts reported by `/info`; null = unknown. */
  readonly modelSha: string | null;
  readonly modelPipelineTag: string | null;
  readonly sha: string | null;
  readonly dockerLabel: string | null;
  /** Green share of the watermark, in (0, 1). */
  readonly watermarkGamma: number;
  /** Added to the logits of green tokens. */
  readonly watermarkDelta: number;
  /** Seconds of silence after which a stream sends a comment. */
  readonly keepAliveSeconds: number;
}

/** TGI's own defaults. */
export const DEFAULT_TGI_OPTIONS: TgiOptions = {
  maxConcurrentRequests: 128,
  maxBestOf: 2,
  maxStopSequences: 4,
  maxTopNTokens: 5,
  maxInputTokens: null,
  maxTotalTokens: null,
  maxClientBatchSize: 4,
  payloadLimit: null,
  disableGrammarSupport: false,
  validationWorkers: 2,
  waitingServedRatio: 1.2,
  maxWaitingTokens: 20,
  maxBatchSize: null,
  messagesApiEnabled: false,
  deviceType: 'cpu',
  computeType: 'cpu+koine',
  modelSha: null,
  modelPipelineTag: null,
  sha: null,
  dockerLabel: null,
  watermarkGamma: 0.5,
  watermarkDelta: 2,
  keepAliveSeconds: 15,
};
