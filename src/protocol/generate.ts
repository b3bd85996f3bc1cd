// The one neutral description of a generation. A dialect fills every field (its own defaults applied), so that
// nothing below a dialect knows a default of any wire format. Imports only its siblings.

import type { Constraint } from './constraint.js';
import type { ChatMessage, ToolChoice, ToolDefinition } from './message.js';

/** What the model is asked to continue. */
export type GenerateInput =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Add the tokens the model wants at the start (BOS). */
      readonly addSpecial: boolean;
      /** Read special tokens written in the text (`<|im_end|>`) as tokens rather than as characters. */
      readonly parseSpecial: boolean;
    }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | ChatInput
  | {
      /** Fill in the middle: the model writes what belongs between prefix and suffix. */
      readonly kind: 'infill';
      readonly prefix: string;
      readonly suffix: string;
    };

/** A conversation to be rendered by the model's chat template. */
export interface ChatInput {
  readonly kind: 'chat';
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  /** False lets the model make at most one call. */
  readonly parallelToolCalls: boolean;
  /** Continue the last message when it is the assistant's, instead of answering it. */
  readonly continueFinal: boolean;
  /** Extra template variables (`enable_thinking`, ...), as the client sent them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Parse reasoning and tool calls out of the reply; false streams the reply text untouched. */
  readonly parseReply: boolean;
}

/** Mirostat settings (Basu et al., 2020); replaces the truncating samplers when `mode` is not 0. */
export interface MirostatParams {
  readonly mode: 0 | 1 | 2;
  readonly tau: number;
  readonly eta: number;
}

/** DRY, "don't repeat yourself": penalises tokens that would extend a repeated run. Off at multiplier 0. */
export interface DryParams {
  readonly multiplier: number;
  readonly base: number;
  readonly allowedLength: number;
  /** Tokens looked back over; -1 = the whole context. */
  readonly window: number;
  /** Texts that a repeated run must not cross. */
  readonly breakers: readonly string[];
}

/** XTC, "exclude top choices": with `probability`, drops all but the least likely of tokens above `threshold`. */
export interface XtcParams {
  readonly probability: number;
  readonly threshold: number;
}

/** How the next token is picked. Neutral values switch a part off. */
export interface SamplingParams {
  /** 0 = greedy, otherwise > 0. Neutral: 1. */
  readonly temperature: number;
  /** Apply the temperature after the filters instead of before them (llama.cpp's order). Absent: before. */
  readonly temperatureLast?: boolean;
  /** Keep the k best and all that tie with the k-th; 0 = off. */
  readonly topK: number;
  /** Nucleus mass in (0, 1]; 1 = off. */
  readonly topP: number;
  /** Keep tokens with p >= minP * pMax, in [0, 1]; 0 = off. */
  readonly minP: number;
  /** Locally typical mass in (0, 1]; 1 = off. */
  readonly typicalP: number;
  /** Divides positive and multiplies negative logits of seen tokens; 1 = off. */
  readonly repetitionPenalty: number;
  /** Subtracted once from each seen token's logit; 0 = off. */
  readonly presencePenalty: number;
  /** Subtracted per occurrence of a token; 0 = off. */
  readonly frequencyPenalty: number;
  /** What "per occurrence" means: the count, or the count divided by the sequence's length (TGI 3). */
  readonly frequencyMode: 'count' | 'relative';
  /** Last tokens the penalties look at; -1 = all, 0 = off. */
  readonly penaltyWindow: number;
  /** Whether prompt tokens count as seen for the repetition penalty / presence and frequency penalties. */
  readonly penaltyScope: 'output' | 'all';
  /** Added to raw logits, before everything else. -Infinity bans a token. */
  readonly logitBias: readonly (readonly [token: number, bias: number])[];
  readonly mirostat: MirostatParams;
  readonly dry: DryParams;
  readonly xtc: XtcParams;
  /** Green-list watermark (Kirchenbauer et al., 2023), applied before the penalties. */
  readonly watermark?: { readonly gamma: number; readonly delta: number };
  /** Same seed, prompt and parameters = same tokens. Absent: the engine draws one and reports it. 0 .. 2^64-1. */
  readonly seed?: bigint;
}

/** When a sequence ends. The engine decides the finish reason; dialects only rename it. */
export interface StopConditions {
  /** Upper bound on new tokens; absent = until the context is full. */
  readonly maxNewTokens?: number;
  /** EOS and stop tokens are not picked before this many new tokens; stop strings still end the sequence. */
  readonly minNewTokens: number;
  /** Texts that end the sequence wherever they appear in the output; the earliest wins, the longest on a tie. */
  readonly stopStrings: readonly string[];
  readonly stopTokens: readonly number[];
  readonly ignoreEos: boolean;
  /** Keep the matched stop text in the output (TGI) instead of cutting it off (OpenAI). */
  readonly keepStopText: boolean;
}

/** What comes back beside the text. */
export interface OutputOptions {
  /** Events as tokens appear; false lets the engine send everything at the end, which is cheaper. */
  readonly stream: boolean;
  /** Report every generated token (id, text, special). */
  readonly tokens: boolean;
  /** Log-probabilities of generated tokens with this many alternatives (0 = the chosen one only); absent = none. */
  readonly logprobs?: number;
  /** Distribution the log-probabilities describe: the model's own, or after penalties, temperature and filters. */
  readonly logprobsOf: 'raw' | 'processed';
  /** Log-probabilities of the prompt's tokens, with this many alternatives; absent = none. */
  readonly promptLogprobs?: number;
  /** Report the prompt's tokens and text (echo). */
  readonly prompt: boolean;
  /** Show special tokens in the text. */
  readonly specialTokens: boolean;
}

/** One request for generation, complete: no field has a default below this point. */
export interface GenerateRequest {
  /** Request id, as logged. */
  readonly id: string;
  /** Name or alias of the model; the router has resolved it before an engine sees it. */
  readonly model: string;
  readonly input: GenerateInput;
  readonly sampling: SamplingParams;
  readonly stop: StopConditions;
  readonly constraint?: Constraint;
  readonly output: OutputOptions;
  /** Name of a LoRA adapter loaded at start. */
  readonly adapter?: string;
  /** Choices to return, >= 1. */
  readonly n: number;
  /** Choices to generate, >= n; the n with the highest mean log-probability are returned. */
  readonly bestOf: number;
  /** Higher runs first and may swap out lower; 0 is normal. */
  readonly priority: number;
  /** Keep only the last this many prompt tokens. */
  readonly truncateTo?: number;
  /** Lets a request opt out of reading from and writing to the prefix cache. */
  readonly usePrefixCache: boolean;
}
