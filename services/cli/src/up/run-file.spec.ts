import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { eventually } from '@crate/testing';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import {
  claimRun,
  findRunning,
  isRunning,
  refuseRunning,
  removeRunRecord,
  startTimeOf,
  writeRunRecord,
  type RunRecord,
} from './run-file.js';

const hasProc = process.platform === 'linux';
let dir: DataDir;
const children: ChildProcess[] = [];
beforeEach(async () => {
  dir = await temporaryDataDir();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await removeDataDir(dir);
});

function record(overrides: Partial<RunRecord> = {}): RunRecord {
  const startTime = startTimeOf(process.pid);
  return {
    pid: process.pid,
    ...(startTime === undefined ? {} : { startTime }),
    startedAt: '2026-01-01T00:00:00.000Z',
    apiUrl: 'https://127.0.0.1:6440',
    sandboxUrl: 'http://127.0.0.1:1',
    processes: {},
    ...overrides,
  };
}

/** The id of a process that is gone for good. */
async function deadPid(): Promise<number> {
  const child = spawn('true');
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid ?? 0;
}

describe('findRunning', () => {
  it('finds the record of a process that is alive', async () => {
    await writeRunRecord(dir, record());
    expect(await findRunning(dir)).toEqual(record());
  });

  it('takes the record of a dead process for none', async () => {
    await writeRunRecord(dir, record({ pid: await deadPid() }));
    expect(await findRunning(dir)).toBeUndefined();
  });

  (hasProc ? it : it.skip)('is not fooled by another process that got the same id', async () => {
    await writeRunRecord(dir, record({ startTime: '12345' }));
    expect(await findRunning(dir)).toBeUndefined();
  });

  it.each(['', '{"pid":', '[]', '{"pid":"7"}'])('takes a damaged record for none: %j', async (text) => {
    await writeFile(dir.runFile(), text);
    expect(await findRunning(dir)).toBeUndefined();
  });

  it('says why a record cannot be read, and what helps', async () => {
    await mkdir(dir.runFile());
    await expect(findRunning(dir)).rejects.toMatchObject({
      code: 'BadRequest',
      message: `Cannot read ${dir.runFile()}: it is a folder`,
      details: { remedy: expect.stringContaining('--data-dir') },
    });
  });

  it('finds nothing where nothing was started', async () => {
    expect(await findRunning(dir)).toBeUndefined();
  });
});

(hasProc ? describe : describe.skip)('isRunning', () => {
  it('is over for a process that ended, also while nobody waited for it', async () => {
    // The shell becomes a program that never waits, so its child, which outlives the shell, stays behind as a zombie.
    const becomesSleep = 'while read -r name < /proc/$PPID/comm && [ "$name" = sh ]; do :; done';
    const parent = spawn('sh', ['-c', `sh -c '${becomesSleep}' & echo $!; exec sleep 600`]);
    children.push(parent);
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    });

    const given = { pid, startTime: startTimeOf(pid) ?? 'ended already' };
    await eventually(() => !isRunning(given));
    expect(() => process.kill(pid, 0)).not.toThrow();
  });
});

describe('claimRun', () => {
  it('makes the directory ours, for this user alone, and leaves nothing else there', async () => {
    expect(await claimRun(dir, record())).toEqual([]);
    expect(await findRunning(dir)).toEqual(record());
    expect((await stat(dir.runFile())).mode & 0o777).toBe(0o600);
    expect(await readdir(dir.root)).toEqual(['up.json']);
  });

  it('takes over what a crash left', async () => {
    await writeRunRecord(dir, record({ pid: await deadPid() }));
    await claimRun(dir, record());
    expect((await findRunning(dir))?.pid).toBe(process.pid);
  });

  (hasProc ? it : it.skip)('tells which processes of it still end', async () => {
    const child = spawn('sleep', ['600']);
    children.push(child);
    const startTime = startTimeOf(child.pid ?? 0) ?? '';
    const alive = { pid: child.pid ?? 0, startTime };
    const processes = {
      ...{ postgres: alive, nats: { pid: await deadPid() }, sandbox: { pid: 0 } },
      lifecycle: { pid: process.pid, startTime: 'of another process with this id' },
    };
    await writeRunRecord(dir, record({ pid: await deadPid(), processes }));
    expect(await claimRun(dir, record())).toEqual([alive]);
  });

  it('refuses a directory in use, naming the process and what to do, and changes nothing', async () => {
    await claimRun(dir, record({ startedAt: 'first' }));
    const given = claimRun(dir, record({ startedAt: 'second' }));

    await expect(given).rejects.toMatchObject({ code: 'Conflict' });
    await expect(given).rejects.toThrow(
      `Crate already runs on ${dir.root} (process ${process.pid}, https://127.0.0.1:6440). Stop it with "crate down"`,
    );
    expect((await findRunning(dir))?.startedAt).toBe('first');
  });

  it('lets exactly one of many win', async () => {
    const claims = Array.from({ length: 20 }, (_, index) => claimRun(dir, record({ startedAt: String(index) })));
    const results = await Promise.allSettled(claims);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('refuseRunning', () => {
  it('lets pass when nothing runs, and when what ran has gone', async () => {
    await refuseRunning(dir);
    await claimRun(dir, record({ apiUrl: '' }));
    await expect(refuseRunning(dir)).rejects.toThrow(`(process ${process.pid}, starting)`);
    await removeRunRecord(dir);
    await refuseRunning(dir);
  });
});
