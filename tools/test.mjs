import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { runChecks } from './checks.mjs';
import { install } from './install.mjs';
import { environment, nodeBinary, root, TEST_MODULES } from './run.mjs';

const MINUTE_MS = 60_000;
const NOTHING_RAN = {
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
};
// Whole platforms need the machine for themselves, so the stories of users come last and one by one. These beside them start none.
const WITHOUT_PLATFORM = 'bundles|images/release-bundle|processes/inspector|proxy/postgres-proxy';
const STORIES = `/(e2e|benchmarks|chaos)/src/(?!(${WITHOUT_PLATFORM})[.]).*[.]int[.]spec[.]`;
const STAGES = [
  ['--testPathIgnorePatterns', STORIES, '--maxWorkers=2'],
  ['--testPathPatterns', STORIES, '--maxWorkers=1', '--testSequencer', join(root, 'tools', 'jest.story-sequencer.mjs')],
];

const HELP = `Usage: npm test [-- JEST-ARGUMENTS]

Checks everything: types (by building), lint, format, licences, generated pages, and every test. Ends with one line of counts; exits with 1 when
something failed. What is missing in node_modules is installed first.

  npm test                                                 all of it, stories of whole platforms last and one by one
  npm test -- --selectProjects cli --testPathPatterns up   the same checks, and of the tests those that Jest is told

One project's tests alone: NODE_OPTIONS=--experimental-vm-modules npx jest --selectProjects cli

  CRATE_TEST_MINUTES   begins no story after so many minutes, and names those it left out as skipped; without it all are told
`;
const asked = process.argv.slice(2);
if (asked.includes('--help') || asked.includes('-h')) {
  process.stdout.write(HELP);
  process.exit();
}

/**
 * Everything: types (by the build), lint, format, and every test. Ends with one plain line of counts. CRATE_TEST_MINUTES is the time after
 * which no further story is begun; without it all are told.
 */
const minutes = Number(process.env.CRATE_TEST_MINUTES ?? Infinity);
const until = Date.now() + minutes * MINUTE_MS;
install();
const failed = await runChecks();
const stages = asked.length > 0 ? [asked] : STAGES;
const reports = failed.includes('types, by building') ? [] : stages.map(test);
rmSync(dirname(TEST_MODULES), { recursive: true, force: true });

const total = (count) => reports.reduce((sum, report) => sum + count(report), 0);
for (const file of reports.flatMap(filesLeftOut)) console.log(`SKIPPED: ${file}: ${minutes} minutes had passed`);
for (const line of reports.flatMap(testsLeftOut)) console.log(`SKIPPED: ${line}`);
for (const name of failed) console.log(`FAILED: ${name}`);
// A suite that does not even load has no tests to count, so it counts as one failure.
const broken = total((report) => report.numFailedTests + report.numRuntimeErrorTestSuites);
const skipped = total((report) => report.numPendingTests + report.numTodoTests);
console.log(
  `${total((report) => report.numPassedTests)} passed, ${broken + failed.length} failed` +
    (skipped > 0 ? `, ${skipped} skipped` : ''),
);
process.exitCode = broken + failed.length > 0 ? 1 : 0;

/** Runs Jest and gives its report; what Jest itself finds wrong counts as one failure more. */
function test(args) {
  const directory = mkdtempSync(join(tmpdir(), 'crate-test-'));
  const file = join(directory, 'jest.json');
  const command = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${file}`, ...args];
  const env = environment({
    NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
    CRATE_TEST_IS_BUILT: '1',
    CRATE_TEST_MODULES: failed.includes('bundles that suites load') ? undefined : TEST_MODULES,
    ...(Number.isFinite(until) ? { CRATE_TEST_UNTIL: String(until) } : {}),
  });
  const { status } = spawnSync(nodeBinary(), command, { cwd: root, stdio: 'inherit', env });
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NOTHING_RAN;
  rmSync(directory, { recursive: true });
  if (status !== 0 && report.numFailedTests + report.numRuntimeErrorTestSuites === 0) failed.push('jest');
  return report;
}

/** Those that nothing ran of because there was no time left for them. */
function filesLeftOut({ testResults }) {
  return testResults.filter(isLate).map(({ name }) => relative(root, name));
}

function isLate({ startTime, assertionResults }) {
  return startTime > until && assertionResults.every(isPending);
}

/** What was left out of files that ran, by the outermost title, which says why: something is not on this machine. */
function testsLeftOut({ testResults }) {
  return testResults
    .filter((file) => !isLate(file))
    .flatMap(({ name, assertionResults }) => {
      const titles = assertionResults.filter(isPending).map(({ ancestorTitles, title }) => ancestorTitles[0] ?? title);
      return [...new Set(titles)].map((title) => `${relative(root, name)}: ${title}`);
    });
}

function isPending({ status }) {
  return status === 'pending' || status === 'todo';
}
