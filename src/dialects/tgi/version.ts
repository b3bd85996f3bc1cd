// What tells the two published versions apart, gathered in one value each: their bodies, limits and framing.

import type { Encoding } from './encode.js';
import { ENCODING_V1 } from './encode-v1.js';
import { ENCODING_V3 } from './encode-v3.js';
import type { TgiOptions } from './options.js';
import { LEG_TOKENS } from './request/budget.js';
import { GRAMMAR_V1, GRAMMAR_V3, type GrammarRules } from './request/constraint.js';
import { type Limits, limitsV1, limitsV3 } from './request/limits.js';
import {
  type CompatBody,
  type GenerateBody,
  readCompatV1,
  readCompatV3,
  readGenerateV1,
  readGenerateV3,
  readVertexV1,
  readVertexV3,
  type VertexBody,
} from './schema.js';
import type { Read } from './wire/shape.js';

/** One published version. */
export interface Version {
  /** Name of the dialect. */
  readonly name: 'tgi' | 'tgi-1.4';
  /** As reported by `/info` and in fingerprints. */
  readonly version: '3.3.6-dev0' | '1.4.2';
  readonly readGenerate: Read<GenerateBody>;
  readonly readCompat: Read<CompatBody>;
  readonly readVertex: Read<VertexBody>;
  readonly limits: (options: TgiOptions, contextTokens: number) => Limits;
  readonly grammar: GrammarRules;
  readonly encoding: Encoding;
  /** Most new tokens counted against the limit. */
  readonly checkedNewTokens: number;
  /** Largest body in bytes. */
  readonly payloadLimit: number;
  /** Whether the first health probe has to generate. */
  readonly startsUnproven: boolean;
  /** New tokens where a prompt comes without parameters; null = the rest of the context. */
  readonly defaultNewTokens: number | null;
  /** Whether `/tokenize` honours `truncate`. */
  readonly truncatesOnTokenize: boolean;
}

export const V3: Version = {
  name: 'tgi',
  version: '3.3.6-dev0',
  readGenerate: readGenerateV3,
  readCompat: readCompatV3,
  readVertex: readVertexV3,
  limits: limitsV3,
  grammar: GRAMMAR_V3,
  encoding: ENCODING_V3,
  checkedNewTokens: LEG_TOKENS,
  payloadLimit: 2_000_000,
  startsUnproven: false,
  defaultNewTokens: null,
  truncatesOnTokenize: false,
};

export const V1: Version = {
  name: 'tgi-1.4',
  version: '1.4.2',
  readGenerate: readGenerateV1,
  readCompat: readCompatV1,
  readVertex: readVertexV1,
  limits: limitsV1,
  grammar: GRAMMAR_V1,
  encoding: ENCODING_V1,
  checkedNewTokens: Number.POSITIVE_INFINITY,
  payloadLimit: 2 * 1024 * 1024,
  startsUnproven: true,
  defaultNewTokens: 100,
  truncatesOnTokenize: true,
};
