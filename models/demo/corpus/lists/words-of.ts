// Reads a list written as prose-like text: entries separated by commas or line ends.

/** Splits a comma or newline separated text into its trimmed entries, without repeats. */
export function wordsOf(text: string): readonly string[] {
  const entries = text.split(/[,\n]/).map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}
