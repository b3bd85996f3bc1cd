// Who gets how much of a step's prefill budget. Pure.

/** A sequence with prompt left to compute, oldest first in the list. */
export interface PrefillItem {
  /** Tokens still to compute. */
  readonly remaining: number;
  /** Most tokens it may take in one step. */
  readonly limit: number;
}

/**
 * Shares `budget` tokens: the oldest takes what it needs if that fits, half if not (all, when it is alone), the rest
 * goes to the shortest first, what is then left back to the oldest. So a long prompt always advances, short ones overtake it, and prompts of
 * equal length finish one after the other rather than all together at the end. Amounts are in the items' order.
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
  const fits = items.length === 1 || remainingOf(items, 0) <= budget;
  give(0, fits ? budget : Math.ceil(budget / 2));
  const byLength = items
    .map((_, index) => index)
    .sort((a, b) => remainingOf(items, a) - remainingOf(items, b));
  for (const index of byLength) give(index, left);
  return amounts;
}

function remainingOf(items: readonly PrefillItem[], index: number): number {
  return items[index]?.remaining ?? 0;
}
