import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { environment, nodeBinary, root } from './run.mjs';

/** Everything: types (by the build), lint, format, and every test. Ends with one plain line of counts. */
build();
const failed = [];
step('lint', ['nx', 'run-many', '-t', 'lint', '--output-style=static']);
step('format', ['prettier', '--check', '.', '--log-level=warn']);

const directory = mkdtempSync(join(tmpdir(), 'crate-test-'));
const report = join(directory, 'jest.json');
const arguments_ = ['--json', `--outputFile=${report}`, '--passWithNoTests', ...process.argv.slice(2)];
const status = run('jest', arguments_, {
  NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
});
const counts = JSON.parse(readFileSync(report, 'utf8'));
rmSync(directory, { recursive: true });

// A suite that does not even load has no tests to count, so it counts as one failure.
const broken = counts.numRuntimeErrorTestSuites;
const skipped = counts.numPendingTests + counts.numTodoTests;
if (status !== 0 && counts.numFailedTests + broken === 0) failed.push('jest');
for (const name of failed) console.log(`FAILED: ${name}`);
console.log(
  `${counts.numPassedTests} passed, ${counts.numFailedTests + broken + failed.length} failed` +
    (skipped > 0 ? `, ${skipped} skipped` : ''),
);
process.exitCode = status !== 0 || failed.length > 0 ? 1 : 0;

function step(name, [program, ...args]) {
  console.log(`Checking ${name}`);
  if (run(program, args) !== 0) failed.push(name);
}

function run(program, args, extra = {}) {
  const entry = { nx: 'nx/dist/bin/nx.js', jest: 'jest/bin/jest.js', prettier: 'prettier/bin/prettier.cjs' }[program];
  const command = [join(root, 'node_modules', entry), ...args];
  return spawnSync(nodeBinary(), command, { cwd: root, stdio: 'inherit', env: environment(extra) }).status;
}
