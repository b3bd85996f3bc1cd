// From a prompt and its parameters to a request that an engine may run: checks in TGI's order, then decoding.

import type { Exchange } from '../../../http/index.js';
import type { Constraint, GenerateInput, GenerateRequest } from '../../../protocol/index.js';
import { decode, type ReplyNeeds } from '../decode.js';
import { validationError } from '../errors.js';
import { checkBudget } from '../request/budget.js';
import { toConstraint } from '../request/constraint.js';
import { checkParameters } from '../request/parameters.js';
import type { GenerateParameters } from '../schema.js';
import type { Service, Target } from '../service.js';
import { countCharacters } from '../wire/headers.js';
import type { EndSigns } from './token-feed.js';

/** What is to be generated. */
export interface Job {
  /** The prompt as text; templated for a chat. */
  readonly inputs: string;
  readonly parameters: GenerateParameters;
  /** Whether the tokenizer adds BOS and the like. */
  readonly addSpecial: boolean;
  readonly reply: ReplyNeeds;
  /** A rule of the dialect's own, instead of the parameters' grammar. */
  readonly constraint?: Constraint;
  /** Replaces the text as what the engine is given. */
  readonly input?: GenerateInput;
  /** Told apart from other runs of the same exchange. */
  readonly suffix?: string;
}

/** A request that passed every check. */
export interface Prepared {
  readonly request: GenerateRequest;
  readonly target: Target;
  readonly signs: EndSigns;
  readonly characters: number;
  /** Milliseconds from arrival until now. */
  readonly validationMs: number;
}

/** Checks and decodes. Throws `TgiError` or `KoineError`. */
export async function prepare(
  service: Service,
  exchange: Exchange,
  target: Target,
  job: Job,
): Promise<Prepared> {
  const { inputs, parameters, addSpecial } = job;
  const { limits, model, engine } = target;
  const { version, options } = service;
  checkParameters(inputs, parameters, limits);
  const maxNewTokens = await checkBudget(
    {
      inputs,
      addSpecial,
      truncate: parameters.truncate,
      maxNewTokens: parameters.maxNewTokens,
      checkedNewTokens: version.checkedNewTokens,
    },
    limits,
    engine,
  );
  const { grammar } = parameters;
  if (job.constraint !== undefined && !limits.hasGrammar) throw validationError('grammar is not supported');
  const constraint =
    job.constraint ?? (grammar === null ? null : toConstraint(grammar, version.grammar, limits.hasGrammar));
  const request = decode(parameters, {
    id: `${exchange.id}${job.suffix ?? ''}`,
    model: model.id,
    input: job.input ?? { kind: 'text', text: inputs, addSpecial, parseSpecial: true },
    constraint,
    adapters: model.adapters,
    maxNewTokens,
    watermark: { gamma: options.watermarkGamma, delta: options.watermarkDelta },
    reply: job.reply,
  });
  return {
    request,
    target,
    signs: { maxNewTokens, contextTokens: model.contextTokens, stopStrings: request.stop.stopStrings },
    characters: countCharacters(inputs),
    validationMs: service.clock.now() - exchange.startedAtMs,
  };
}
