import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@crate/testing';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { SupervisedChild } from './child-process.js';
import type { DataDir } from './data-dir.js';

let dir: DataDir;
let child: SupervisedChild | undefined;
let pauses: number[];
let restarted: (number | undefined)[];
beforeEach(async () => {
  dir = await temporaryDataDir();
  pauses = [];
  restarted = [];
});
afterEach(async () => {
  await child?.stop();
  await removeDataDir(dir);
});

function supervise(script: string, limits = { firstMs: 1, longestMs: 8 }): SupervisedChild {
  child = new SupervisedChild({
    name: 'toy',
    command: 'sh',
    args: ['-c', script],
    directory: dir.root,
    stopSignal: 'TERM',
    pauses: limits,
    onRestart: (_name, afterMs) => pauses.push(afterMs),
    onRestarted: () => restarted.push(child?.pid),
  });
  return child;
}

function isAlive(pid: number | undefined): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return pid !== undefined;
  } catch {
    return false;
  }
}

describe('SupervisedChild', () => {
  it('runs, and is gone after the stop, however often that is asked for', async () => {
    const toy = supervise('exec sleep 600');
    await toy.start();
    const { pid } = toy;
    expect(isAlive(pid)).toBe(true);

    await Promise.all([toy.stop(), toy.stop()]);
    expect([isAlive(pid), toy.restarts, pauses]).toEqual([false, 0, []]);
  });

  it('starts again after an end of its own, with pauses that grow up to a limit', async () => {
    const toy = supervise('echo x >> lives; exit 1');
    await toy.start();
    await eventually(() => pauses.length >= 6);
    await toy.stop();

    expect(pauses.slice(0, 6)).toEqual([1, 2, 4, 8, 8, 8]);
    expect(toy.restarts).toBe(pauses.length);
    const lives = (await readFile(join(dir.root, 'lives'), 'utf8')).trim().split('\n');
    expect(lives.length).toBeGreaterThanOrEqual(6);
  });

  it('starts again after a kill, and tells when it runs under another id', async () => {
    const toy = supervise('exec sleep 600');
    await toy.start();
    const first = toy.pid;
    process.kill(first ?? 0, 'SIGKILL');
    await eventually(() => restarted.length === 1);

    expect(toy.pid).not.toBe(first);
    expect(restarted).toEqual([toy.pid]);
    expect(isAlive(toy.pid)).toBe(true);
  });

  it('ends at once when stopped between two lives', async () => {
    const toy = supervise('exit 1', { firstMs: 600_000, longestMs: 600_000 });
    await toy.start();
    await eventually(() => pauses.length === 1);
    expect(toy.pid).toBeUndefined();

    await toy.stop();
    expect(restarted).toEqual([]);
  });

  it('leaves nothing behind when stopped while a new life begins', async () => {
    const pids: (number | undefined)[] = [];
    for (let round = 0; round < 10; round += 1) {
      restarted = [];
      const toy = supervise('echo $$ >> pids; exec sleep 600');
      await toy.start();
      pids.push(toy.pid);
      process.kill(toy.pid ?? 0, 'SIGKILL');
      await eventually(() => toy.pid === undefined || restarted.length > 0);
      await toy.stop();
      pids.push(...restarted);
    }
    const written = await readFile(join(dir.root, 'pids'), 'utf8').catch(() => '');
    pids.push(...written.split('\n').filter(Boolean).map(Number));
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('goes on when a start fails, and comes back once it can', async () => {
    const toy = supervise('exec sleep 600');
    await toy.start();
    await rename(dir.root, `${dir.root}-away`);
    process.kill(toy.pid ?? 0, 'SIGKILL');
    await eventually(() => pauses.length >= 3);
    expect(restarted).toEqual([]);

    await rename(`${dir.root}-away`, dir.root);
    await eventually(() => restarted.length === 1);
    expect(isAlive(toy.pid)).toBe(true);
  });
});
