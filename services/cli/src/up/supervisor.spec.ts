import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { appendFile, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@crate/testing';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import { Supervisor, type ChildProgram } from './supervisor.js';

let dir: DataDir;
let supervisor: Supervisor;
let said: string[];
beforeEach(async () => {
  dir = await temporaryDataDir();
  await dir.prepare();
  said = [];
  jest.useFakeTimers({ doNotFake: ['nextTick', 'performance', 'setImmediate', 'setTimeout'] });
  supervisor = new Supervisor({ dir, say: (line) => said.push(line), onRestarted: () => undefined });
});
afterEach(async () => {
  jest.useRealTimers();
  await supervisor.stop();
  await removeDataDir(dir);
});

function toy(name: string): ChildProgram {
  const script = `trap 'echo ${name} >> ends; exit 0' TERM; echo up; while :; do sleep 0.02; done`;
  return { command: 'sh', args: ['-c', script], stopSignal: 'TERM' };
}

async function made(file: string): Promise<string> {
  await writeFile(file, '');
  return file;
}

async function ends(): Promise<string[]> {
  return (await readFile(join(dir.root, 'ends'), 'utf8')).trim().split('\n');
}

describe('Supervisor', () => {
  it('stops services together and before the servers, these in reverse order', async () => {
    await supervisor.startServer('database', toy('database'));
    await supervisor.startServer('bus', toy('bus'));
    await supervisor.startService('one', toy('one'));
    await supervisor.startService('two', toy('two'));
    expect(Object.keys(supervisor.pids())).toEqual(['database', 'bus', 'one', 'two']);
    for (const name of ['database', 'bus', 'one', 'two']) {
      await eventually(async () => (await readFile(dir.log(name), 'utf8')) === 'up\n');
    }

    await supervisor.stop();
    await supervisor.stop();
    const order = await ends();
    expect(order.slice(0, 2).sort()).toEqual(['one', 'two']);
    expect(order.slice(2)).toEqual(['bus', 'database']);
  });

  it('tells of every end and its log, and counts them', async () => {
    await supervisor.startService('one', { command: 'sh', args: ['-c', 'exit 1'], stopSignal: 'TERM' });
    await eventually(() => supervisor.restartsOf('one') === 1);

    expect(said).toEqual(['Starting one', `one ended and starts again in 500 ms; see ${dir.log('one')}`]);
    expect(supervisor.pids()).toEqual({ one: 0 });
    expect(supervisor.restartsOf('another')).toBe(0);
  });

  it('begins a log anew that is too long, keeps its end, and leaves others alone', async () => {
    const [long, short] = [dir.log('long'), dir.log('short')];
    await truncate(await made(long), 30 * 1024 ** 2);
    await appendFile(long, 'the last line\n');
    const chatty = 'while :; do echo more; sleep 0.02; done';
    await supervisor.startService('long', { command: 'sh', args: ['-c', chatty], stopSignal: 'TERM' });
    await supervisor.startService('short', toy('short'));
    await eventually(async () => (await readFile(short, 'utf8')) === 'up\n');

    jest.advanceTimersByTime(60_000);
    // A writer that went on at its former place would leave a hole.
    await eventually(async () => /^(more\n)+$/.test(await readFile(long, 'utf8')));
    const former = await readFile(dir.log('long.1'), 'utf8');
    expect([former.length, former.includes('\0the last line\n')]).toEqual([20 * 1024 ** 2, true]);
    expect([await readFile(short, 'utf8'), existsSync(dir.log('short.1'))]).toEqual(['up\n', false]);
  });

  it('follows no link where a log should be, and says so once', async () => {
    const other = await made(join(dir.root, 'other'));
    await truncate(other, 30 * 1024 ** 2);
    await symlink(other, join(dir.root, 'link'));
    await supervisor.startServer('linked', { ...toy('linked'), logFile: join(dir.root, 'link') });
    await supervisor.startServer('plain', toy('plain'));
    for (let looks = 1; looks <= 2; looks += 1) {
      await truncate(await made(dir.log('plain')), 30 * 1024 ** 2);
      jest.advanceTimersByTime(60_000);
      await eventually(async () => (await stat(dir.log('plain'))).size < 1024);
    }
    expect((await stat(other)).size).toBeGreaterThanOrEqual(30 * 1024 ** 2);
    expect(said.filter((line) => line.startsWith('Cannot'))).toEqual([expect.stringMatching(/link short: .*ELOOP/)]);
  });
});
