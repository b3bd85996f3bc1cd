// TGI looks at the length before it looks at the token: a sequence whose last allowed token is EOS, or completes a stop
// string, has ended by its length.

import type { ChoiceResult } from '../../../protocol/index.js';

/** How a sequence of so many tokens ended, in TGI's order of checks. `limit`: the most it could have had. */
export function lengthFirst(result: ChoiceResult, generatedTokens: number, limit: number): ChoiceResult {
  return generatedTokens < limit ? result : { ...result, reason: 'length' };
}

/** The most new tokens: what was asked for, or what the context has room for. */
export function tokenLimit(
  {
    maxNewTokens,
    contextTokens,
  }: { readonly maxNewTokens: number | undefined; readonly contextTokens: number },
  promptTokens: number,
): number {
  return Math.min(maxNewTokens ?? Number.POSITIVE_INFINITY, contextTokens - promptTokens);
}
