import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** Each test of rules opens a database of its own, which a disk makes slow. */
const MEMORY = '/dev/shm';

export interface PromtoolResult {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs promtool. Throws with what to install when there is none. */
export async function promtool(...args: readonly string[]): Promise<PromtoolResult> {
  const directory = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'crate-promtool-'));
  try {
    return await run(args, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What is wrong with PromQL expressions; empty when all can be parsed. */
export async function wrongExpressions(expressions: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'crate-promql-'));
  try {
    const rules = expressions.map((expr, index) => ({ record: `expression:${index}`, expr }));
    const file = join(directory, 'expressions.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'expressions', rules }] }, { lineWidth: 0 }));
    const { ok, output } = await promtool('check', 'rules', file);
    return ok ? '' : output;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What `env` ends with when there is no such program. */
const NOT_FOUND = 127;

function run(args: readonly string[], directory: string): Promise<PromtoolResult> {
  return new Promise((resolve, reject) => {
    execFile('env', [`TMPDIR=${directory}`, 'promtool', ...args], (error, stdout, stderr) => {
      const isMissing = error?.code === NOT_FOUND;
      if (isMissing) reject(new Error('promtool is missing; it is in the package "prometheus" of Debian'));
      else resolve({ ok: !error, output: stdout + stderr });
    });
  });
}
