// What a benchmark hands back, and how it is shown: tables on the terminal, one JSON file per benchmark with the
// machine and the commit in it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

export type Cell = string | number;

/** One table. Numbers are shown with three significant digits or as whole numbers. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What to know when reading it. */
  readonly notes?: readonly string[];
}

/** A target and what was reached. */
export interface Verdict {
  readonly goal: string;
  readonly measured: number;
  readonly limit: number;
  readonly better: 'higher' | 'lower';
}

/** What a benchmark hands back. */
export interface BenchResult {
  readonly tables: readonly Table[];
  readonly verdicts: readonly Verdict[];
}

/** Facts about where it ran. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly commit: string;
  /** Whether the work tree differed from the commit. */
  readonly modified: boolean;
  readonly date: string;
}

const ROOT = join(import.meta.dirname, '..', '..');

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

/** This machine and this commit. */
export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    commit: git('rev-parse', '--short', 'HEAD'),
    modified: git('status', '--porcelain', '--untracked-files=no', 'src', 'bin', 'package-lock.json') !== '',
    date: new Date().toISOString().slice(0, 16),
  };
}

/** A number as tables show it. */
export function show(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (!Number.isFinite(cell)) return String(cell);
  const size = Math.abs(cell);
  if (Number.isInteger(cell) || size >= 100) return Math.round(cell).toLocaleString('en');
  return cell.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

function render(table: Table): string {
  const cells = [table.columns, ...table.rows.map((row) => row.map(show))];
  const widths = table.columns.map((_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, i) => (i === 0 ? (row[i] ?? '').padEnd(width) : (row[i] ?? '').padStart(width))).join(' | ')} |`;
  const [head = [], ...body] = cells;
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const notes = (table.notes ?? []).map((note) => `- ${note}`);
  return [`### ${table.title}`, '', line(head), rule, ...body.map(line), '', ...notes].join('\n').trimEnd();
}

function judge({ goal, measured, limit, better }: Verdict): string {
  const isMet = better === 'higher' ? measured >= limit : measured <= limit;
  return `${isMet ? 'met   ' : 'MISSED'} ${goal}: ${show(measured)} (${better === 'higher' ? '>=' : '<='} ${show(limit)})`;
}

/** Runs a benchmark with the command line's arguments and publishes what it hands back. */
export async function bench(
  name: string,
  measure: (args: readonly string[]) => Promise<BenchResult>,
): Promise<void> {
  try {
    publish(name, await measure(process.argv.slice(2)));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}

/** Prints a result and writes bench/results/NAME.json. */
function publish(name: string, result: BenchResult): void {
  const where = machine();
  const folder = join(ROOT, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify({ name, machine: where, ...result }, null, 2)}\n`);
  const place = `${where.cpu}, ${where.cores} cores, ${where.memoryGiB} GiB, Node ${where.node}`;
  console.log(
    `\n## ${name}\n\n${place}; commit ${where.commit}${where.modified ? ' + changes' : ''}; ${where.date}Z\n`,
  );
  for (const table of result.tables) console.log(`${render(table)}\n`);
  for (const verdict of result.verdicts) console.log(judge(verdict));
  console.log(`\nwritten to bench/results/${name}.json`);
}

/** The result of an earlier run in this checkout, to put figures side by side; undefined when there is none. */
export function earlier(name: string): (BenchResult & { readonly machine: Machine }) | undefined {
  try {
    return JSON.parse(readFileSync(join(ROOT, 'bench', 'results', `${name}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}
