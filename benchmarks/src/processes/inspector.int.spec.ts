import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Inspector } from './inspector.js';

const LEAK = `
  globalThis.kept = [];
  setInterval(() => kept.push(new Array(100_000).fill(Math.random())), 20);
  process.stdout.write('ready');
`;

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

describe('Inspector', () => {
  it('sees what a process keeps, and leaves it running', async () => {
    child = spawn(process.execPath, ['--eval', LEAK], { stdio: ['ignore', 'pipe', 'ignore'] });
    if (child.stdout) await once(child.stdout, 'data');
    const inspector = await Inspector.attach(child.pid ?? 0);
    const before = await inspector.sample();
    let after = before;
    while (after.heapMiB < before.heapMiB + 5) after = await inspector.sample();
    await inspector.close();

    expect(before.heapMiB).toBeGreaterThan(1);
    expect(before.resources).toBeGreaterThan(0);
    expect(child.exitCode).toBeNull();
  });

  it('does not wait for a process that is gone', async () => {
    child = spawn(process.execPath, ['--eval', LEAK], { stdio: ['ignore', 'pipe', 'ignore'] });
    if (child.stdout) await once(child.stdout, 'data');
    const inspector = await Inspector.attach(child.pid ?? 0);
    child.kill('SIGKILL');
    await once(child, 'exit');

    await expect(inspector.sample()).rejects.toThrow('The process ended');
    await expect(inspector.sample()).rejects.toThrow('The process ended');
    await inspector.close();
  });
});
