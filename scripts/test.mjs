// `npm test [-- PATHS]`: every gate and every test, from a bare clone on. Ends with the line `N passed, N failed`;
// a gate that fails counts as one failure, and so does a test that is skipped.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, ensureNode, orExplain, root } from './ready.mjs';

const BIN = join(root, 'node_modules');
const GATES = [
  ['typecheck', [join(BIN, 'typescript/bin/tsc'), '-p', 'tsconfig.json']],
  ['lint', [join(BIN, '@biomejs/biome/bin/biome'), 'check', '.']],
  [
    'layering',
    [join(BIN, 'dependency-cruiser/bin/dependency-cruise.mjs'), '--config', '.dependency-cruiser.cjs', 'src'],
  ],
];

await orExplain(() => {
  ensureNode();
  ensureInstalled();
  const filters = process.argv.slice(2);
  const broken = GATES.filter(([name, command]) => !passes(name, command)).length + (builds() ? 0 : 1);
  const { passed, failed } = runTests(filters);
  console.log(`${passed} passed, ${failed + broken} failed`);
  process.exitCode = failed + broken === 0 && passed > 0 ? 0 : 1;
});

/** Runs a gate; shows what it printed only if it fails. */
function passes(name, command) {
  const startedAt = performance.now();
  const { status, stdout, stderr, error } = spawnSync(process.execPath, command, {
    cwd: root,
    encoding: 'utf8',
  });
  const isFine = status === 0;
  if (!isFine) console.log(`${error?.message ?? ''}${stdout}${stderr}`);
  console.log(
    `${isFine ? 'ok    ' : 'FAILED'} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`,
  );
  return isFine;
}

function builds() {
  try {
    ensureBuilt();
    console.log('ok     build');
    return true;
  } catch (error) {
    console.log(`${error.message}\nFAILED build`);
    return false;
  }
}

/** Runs vitest and reads its own account of what happened. */
function runTests(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'koine-test-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(
    process.execPath,
    [join(BIN, 'vitest/vitest.mjs'), 'run', ...reporters, ...filters],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  try {
    return countsOf(JSON.parse(readFileSync(report, 'utf8')), status);
  } catch (error) {
    console.log(`The tests left no report: ${error.message}`);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Files that failed before their first test, errors outside of tests and skipped tests are failures too. */
function countsOf(report, status) {
  const unloadable = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) console.log(`${skipped} tests were skipped, which counts as failed.`);
  const failed = report.numFailedTests + unloadable + skipped;
  return { passed: report.numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed };
}
