import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { environment, nodeBinary, root } from './run.mjs';

const ENTRIES = {
  'api-docs': 'tools/api-docs.mjs',
  'config-docs': 'tools/config-docs.mjs',
  eslint: 'node_modules/eslint/bin/eslint.js',
  jest: 'node_modules/jest/bin/jest.js',
  nx: 'node_modules/nx/dist/bin/nx.js',
  oxlint: 'node_modules/oxlint/bin/oxlint',
  release: 'release/dist/main.js',
  prettier: 'node_modules/prettier/bin/prettier.cjs',
};
const NOTHING_RAN = {
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
};

/** Everything: types (by the build), lint, format, and every test. Ends with one plain line of counts. */
build();
const failed = [];
step('project graph', ['nx', 'show', 'projects']);
step('lint', ['eslint', '.', '--max-warnings=0']);
step('lint with types', ['oxlint', '--deny-warnings']);
step('format', ['prettier', '--check', '.', '--log-level=warn']);
step('docs/config.md', ['config-docs', '--check']);
step('docs/api-reference.md and docs/asyncapi.yaml', ['api-docs', '--check']);
step('dependencies: licences, known holes', ['release', 'check']);

// Whole platforms need the machine for themselves, so the stories of users come last and one by one.
const stages = [
  ['--testPathIgnorePatterns', '/(e2e|benchmarks|chaos)/', '--maxWorkers=2'],
  ['--selectProjects', 'e2e', 'benchmarks', 'chaos', '--maxWorkers=1'],
];
const asked = process.argv.slice(2);
const reports = (asked.length > 0 ? [asked] : stages).map(test);

const total = (count) => reports.reduce((sum, report) => sum + count(report), 0);
// A suite that does not even load has no tests to count, so it counts as one failure.
const broken = total((report) => report.numFailedTests + report.numRuntimeErrorTestSuites);
const skipped = total((report) => report.numPendingTests + report.numTodoTests);
for (const name of failed) console.log(`FAILED: ${name}`);
console.log(
  `${total((report) => report.numPassedTests)} passed, ${broken + failed.length} failed` +
    (skipped > 0 ? `, ${skipped} skipped` : ''),
);
process.exitCode = broken + failed.length > 0 ? 1 : 0;

/** Runs Jest and gives its report; what Jest itself finds wrong counts as one failure more. */
function test(args) {
  const directory = mkdtempSync(join(tmpdir(), 'crate-test-'));
  const file = join(directory, 'jest.json');
  const status = run('jest', ['--json', `--outputFile=${file}`, '--passWithNoTests', ...args], {
    NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
  });
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NOTHING_RAN;
  rmSync(directory, { recursive: true });
  if (status !== 0 && report.numFailedTests + report.numRuntimeErrorTestSuites === 0) failed.push('jest');
  return report;
}

function step(name, [program, ...args]) {
  console.log(`Checking ${name}`);
  if (run(program, args) !== 0) failed.push(name);
}

function run(program, args, extra = {}) {
  const command = [join(root, ENTRIES[program]), ...args];
  return spawnSync(nodeBinary(), command, { cwd: root, stdio: 'inherit', env: environment(extra) }).status;
}
