// The events that open and close a request and its choices. Engine process.

import type { TokenInfo, Usage } from '../protocol/index.js';
import { type Committer, emitPending } from './commit.js';
import { holdsBack, type Outbox } from './outbox.js';
import type { WireEvent } from './process/messages.js';
import { choiceSeed } from './sampling/index.js';
import type { Group, Sequence } from './sequence.js';
import { decodeText } from './text/index.js';

/** Tells that a request has begun, with its prompt when that was asked for. */
export function startGroup(outbox: Outbox, group: Group, committer: Committer): void {
  group.hasStarted = true;
  const first = group.sequences[0];
  if (first === undefined) return;
  const { prompt, promptLogprobs } = group.output;
  const reported = prompt || promptLogprobs !== undefined ? promptTokens(group, first, committer) : undefined;
  outbox.ofGroup(group.key, {
    kind: 'started',
    promptTokens: first.promptLength,
    cachedTokens: group.cachedTokens,
    ...(reported === undefined ? {} : { prompt: reported }),
    ...(prompt && reported !== undefined ? { promptText: joinText(reported) } : {}),
  });
}

/** Sends the rest of a choice and how it ended. */
export function finishChoice(outbox: Outbox, sequence: Sequence, stopText: string | undefined): void {
  const { group, choice, output } = sequence;
  if (stopText === undefined) output.flush();
  emitPending(outbox, group, sequence, true);
  outbox.ofChoice(group, choice, {
    kind: 'choice',
    choice,
    reason: sequence.reason ?? 'cancelled',
    completionTokens: sequence.generated,
    ...(stopText === undefined ? {} : { stopText }),
    ...(group.isGreedy ? {} : { seed: choiceSeed(group.seed, choice).toString() }),
    ...(output.logprobCount === 0 ? {} : { meanLogprob: output.logprobSum / output.logprobCount }),
  });
}

/** Closes a request: releases the best of its choices when they were held back, then usage and times. */
export function finishGroup(outbox: Outbox, group: Group, now: number): void {
  if (holdsBack(group)) releaseBest(outbox, group);
  const usage: Usage = {
    promptTokens: group.sequences[0]?.promptLength ?? 0,
    cachedTokens: group.cachedTokens,
    completionTokens: group.sequences.reduce((sum, sequence) => sum + sequence.generated, 0),
  };
  outbox.ofGroup(group.key, {
    kind: 'finished',
    usage,
    timings: {
      queueMs: group.startedMs - group.arrivedMs,
      prefillMs: group.firstTokenMs - group.startedMs,
      decodeMs: now - group.firstTokenMs,
    },
  });
}

/** The n choices with the highest mean log-probability, renumbered from 0. */
function releaseBest(outbox: Outbox, group: Group): void {
  const ranked = [...group.sequences].sort((a, b) => meanLogprob(b) - meanLogprob(a));
  ranked.slice(0, group.n).forEach((sequence, choice) => {
    for (const event of group.held.get(sequence.choice) ?? []) {
      outbox.ofGroup(group.key, 'choice' in event ? ({ ...event, choice } as WireEvent) : event);
    }
  });
  group.held.clear();
}

function meanLogprob({ output }: Sequence): number {
  return output.logprobCount === 0 ? Number.NEGATIVE_INFINITY : output.logprobSum / output.logprobCount;
}

function promptTokens(group: Group, first: Sequence, committer: Committer): TokenInfo[] {
  const plain = (index: number): TokenInfo => committer.plainToken(first.tokens[index] ?? 0);
  if (group.output.promptLogprobs === undefined) {
    return Array.from({ length: first.promptLength }, (_, index) => plain(index));
  }
  // The first token has nothing before it that could predict it.
  return [plain(0), ...group.promptScores];
}

/** Joins tokens' bytes before decoding: a character may be spread over several tokens. */
function joinText(tokens: readonly TokenInfo[]): string {
  return decodeText(
    Buffer.concat(tokens.map((token) => Buffer.from(token.bytes ?? Buffer.from(token.text)))),
  );
}
