import { expect, it } from '@jest/globals';
import { transformFile } from '@swc/core';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.js';

const source = fileURLToPath(new URL('../../local-servers/src/guarded-process.ts', import.meta.url));

/** A program that starts a guarded `sleep`, says its process id, and then hangs. */
async function writeProgram(directory: string, guarded: string): Promise<string> {
  const module = await transformFile(source, { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } });
  const options = { command: 'sleep', args: ['600'], directory: guarded, removesDirectory: true, stopSignal: 'TERM' };
  const main = `
    const guarded = await GuardedProcess.start(${JSON.stringify(options)});
    console.log(guarded.pid);
    setInterval(() => undefined, 1000);`;
  const file = join(directory, 'program.mjs');
  await writeFile(file, module.code + main);
  return file;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it.each(['SIGKILL', 'SIGINT'] as const)(
  'ends the server and removes its files after %s of the test',
  async (signal) => {
    const directory = await mkdtemp(join(tmpdir(), 'crate-guard-'));
    const guarded = await mkdtemp(join(tmpdir(), 'crate-guarded-'));
    const program = spawn(process.execPath, [await writeProgram(directory, guarded)]);
    const pid = await new Promise<number>((resolve) => {
      createInterface({ input: program.stdout }).once('line', (line) => resolve(Number(line)));
    });
    expect(isAlive(pid)).toBe(true);

    program.kill(signal);

    await eventually(() => !isAlive(pid));
    await eventually(() => !existsSync(guarded));
    await rm(directory, { recursive: true });
  },
);
