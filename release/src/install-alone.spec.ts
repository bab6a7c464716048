import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ROOT } from './testing/root.js';

/** Greater than any id that Linux gives. */
const NOBODY = 2 ** 22 + 1;
/** Counts how often it is begun, talks, and ends once it may. */
const NPM = `#!/bin/sh
echo begun >> begun
echo 'added 1 package'
while ! test -e go; do sleep 0.05; done
`;
const MAIN = `import { install } from './tools/install.mjs';
install();
console.log('what the program prints');
`;

interface Run {
  stdout: string;
  stderr: string;
  readonly ended: Promise<number | null>;
}

// A copy, in which to install is to run an npm of our own.
let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'crate-install-'));
  cpSync(join(ROOT, 'tools'), join(copy, 'tools'), { recursive: true });
  for (const [name, text] of Object.entries({ 'package-lock.json': '{}', 'main.mjs': MAIN, npm: NPM }))
    writeFileSync(join(copy, name), text);
  chmodSync(join(copy, 'npm'), 0o755);
});
afterEach(() => rmSync(copy, { recursive: true }));

function start(): Run {
  const env = { ...process.env, PATH: [copy, process.env['PATH']].join(delimiter) };
  const child = spawn(process.execPath, ['main.mjs'], { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const run: Run = { stdout: '', stderr: '', ended };
  child.stdout.on('data', (part) => (run.stdout += String(part)));
  child.stderr.on('data', (part) => (run.stderr += String(part)));
  return run;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

function allow(): void {
  writeFileSync(join(copy, 'go'), '');
}

it('is done by one of two at once, and the other says for whom it waits', async () => {
  const first = start();
  await until(() => existsSync(join(copy, 'begun')));
  const second = start();
  await until(() => second.stderr.includes('which builds here'));
  allow();

  expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
  expect(readFileSync(join(copy, 'begun'), 'utf8')).toBe('begun\n');
  expect(existsSync(join(copy, 'tmp', 'build.lock'))).toBe(false);
  // Whoever sends the output of a command to a file gets nothing else.
  expect([first.stdout, second.stdout]).toEqual(['what the program prints\n', 'what the program prints\n']);
  expect(first.stderr).toContain('added 1 package');
});

it.each([
  { reason: 'a process that was killed', text: `${NOBODY} 1` },
  { reason: 'an earlier process of the same id', text: `${process.pid} 1` },
  { reason: 'somebody who left nothing to tell by', text: '' },
])('is not kept waiting by $reason', async ({ text }) => {
  mkdirSync(join(copy, 'tmp'));
  writeFileSync(join(copy, 'tmp', 'build.lock'), text);
  allow();
  const run = start();
  expect(await run.ended).toBe(0);
  expect(run.stderr).not.toContain('Waiting');
});
