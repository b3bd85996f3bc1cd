// Who gets how much of a step's prefill budget. Pure.

/** A sequence with prompt left to compute, oldest first in the list. */
export interface PrefillItem {
  /** Tokens still to compute. */
  readonly remaining: number;
  /** Most tokens it may take in one step. */
  readonly limit: number;
}

/**
 * Shares `budget` tokens: the oldest takes what it needs if that fits, half if not (all, when it is alone); the rest
 * goes to the shortest first, what is then left back to the oldest. So a long prompt always advances and short ones
 * overtake it. Prompts are taken whole or left for later, because a step whose sequences have different numbers of
 * tokens is computed in several passes; only beside an oldest that is cut itself the shortest may be cut too, lest it
 * wait for all of that. Amounts are in the items' order.
 */
export function sharePrefill(items: readonly PrefillItem[], budget: number): number[] {
  const amounts = items.map(() => 0);
  let left = budget;
  const give = (index: number, most: number): void => {
    const item = items[index];
    if (item === undefined) return;
    const taken = amounts[index] ?? 0;
    const amount = Math.max(0, Math.min(most, left, Math.min(item.remaining, item.limit) - taken));
    amounts[index] = taken + amount;
    left -= amount;
  };
  const fits = items.length === 1 || needOf(items[0]) <= budget;
  give(0, fits ? budget : Math.ceil(budget / 2));
  const others = items.map((_, index) => index).slice(1);
  others.sort((a, b) => needOf(items[a]) - needOf(items[b]));
  for (const index of others) {
    const need = needOf(items[index]);
    const mayBeCut = !fits && index === others[0] && need < needOf(items[0]);
    if (need <= left || mayBeCut) give(index, left);
  }
  give(0, left);
  return amounts;
}

/**
 * Tokens of the oldest prompts that are together enough, each whole, at most `most` but for the oldest. Counted in the
 * order in which `sharePrefill` takes them.
 */
export function wholePrompts(items: readonly PrefillItem[], enough: number, most: number): number {
  const [oldest, ...others] = items.map(needOf);
  let sum = oldest ?? 0;
  others.sort((a, b) => a - b);
  for (const need of others) {
    if (sum >= enough || sum + need > most) break;
    sum += need;
  }
  return Math.min(sum, most);
}

/** Tokens a step can take of an item. */
function needOf(item: PrefillItem | undefined): number {
  return item === undefined ? 0 : Math.min(item.remaining, item.limit);
}
