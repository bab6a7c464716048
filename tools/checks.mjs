import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { environment, nodeBinary, root, TEST_MODULES } from './run.mjs';

const check = (name, program, ...args) => ({ name, program, args });

/** What needs nothing built, beside what does: most of it has one thread, and a machine has two processors. */
const LANES = [
  [
    check('project graph', 'node_modules/nx/dist/bin/nx.js', 'show', 'projects'),
    check('lint', 'node_modules/eslint/bin/eslint.js', '.', '--max-warnings=0'),
    check('format', 'node_modules/prettier/bin/prettier.cjs', '--check', '.', '--log-level=warn'),
  ],
  [
    check('types, by building', 'tools/build.mjs'),
    check('bundles that suites load', 'tools/test-modules.mjs', TEST_MODULES),
    check('lint with types', 'node_modules/oxlint/bin/oxlint', '--deny-warnings'),
    check('dependencies: licences, known holes', 'tools/release.mjs', 'check'),
    check('docs/config.md', 'tools/config-docs.mjs', '--check'),
    check('docs/api-reference.md and docs/asyncapi.yaml', 'tools/api-docs.mjs', '--check'),
  ],
];

/** Runs them all, and prints what each has to say once it has ended. Gives the names of those that failed. */
export async function runChecks() {
  const failed = await Promise.all(LANES.map(runLane));
  return failed.flat();
}

async function runLane(checks) {
  const failed = [];
  for (const { name, program, args } of checks) {
    const { status, output } = await run(join(root, program), args);
    console.log(`Checked ${name}${status === 0 ? '' : ': FAILED'}`);
    process.stdout.write(output);
    if (status !== 0) failed.push(name);
  }
  return failed;
}

/** Gives what it printed when it has ended, so that two at once do not talk into each other. */
function run(program, args) {
  const child = spawn(nodeBinary(), [program, ...args], { cwd: root, env: environment() });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => printed.push(part));
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output: Buffer.concat(printed) }));
  });
}
