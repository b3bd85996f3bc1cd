// The table of pass rates and the rates the project wants.

/** One row of the table. */
export interface Row {
  readonly name: string;
  readonly right: number;
  readonly cases: number;
  /** Wanted share in per cent, where the project has set one. */
  readonly wanted: number | undefined;
}

/** What the project set out to reach, in per cent. */
export const WANTED: Readonly<Record<string, number>> = {
  'greetings and self-description': 98,
  'says that it cannot': 95,
  'memory of a name two turns before': 90,
  'thinks first when asked to': 97,
  'does not think otherwise': 97,
  'capitals of 120 countries': 95,
  'opposites, colours, days, months': 95,
  'translation of listed words': 95,
  'spelling of new words': 95,
  'upper-casing of new words': 95,
  'sums of two-digit numbers': 95,
  'differences of two-digit numbers': 95,
  'products up to 12 x 12': 95,
  'comparing, counting, even and odd': 95,
  'tool call, tool seen in training': 97,
  'tool call, tool never seen': 85,
  'answers in words after a tool result': 95,
  'no tool called when none fits': 95,
  'JSON extraction, keys by name': 90,
  'JSON extraction, by schema': 90,
  'fill in the middle, sentences': 80,
  'fill in the middle, Python': 80,
  'embeddings: near-duplicate closer': 95,
};

/** The rows and their sum as a Markdown table. */
export function formatTable(rows: readonly Row[]): string {
  const lines = rows.map(({ name, right, cases, wanted }) => {
    const rate = (100 * right) / cases;
    const mark = wanted === undefined ? '' : rate >= wanted ? 'yes' : 'no';
    return `| ${name.padEnd(38)} | ${`${right} of ${cases}`.padStart(10)} | ${`${rate.toFixed(0)} %`.padStart(5)} | ${wanted === undefined ? '     ' : `${wanted} %`.padStart(5)} | ${mark.padEnd(7)} |`;
  });
  const right = rows.reduce((sum, row) => sum + row.right, 0);
  const cases = rows.reduce((sum, row) => sum + row.cases, 0);
  const total = `| ${'all'.padEnd(38)} | ${`${right} of ${cases}`.padStart(10)} | ${`${((100 * right) / cases).toFixed(0)} %`.padStart(5)} |       |         |`;
  return [
    '| skill, held-out cases                  |      right |  rate |  goal | reached |',
    '|---|---:|---:|---:|---|',
    ...lines,
    total,
  ].join('\n');
}
