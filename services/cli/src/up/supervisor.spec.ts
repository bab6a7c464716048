import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
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
  supervisor = new Supervisor({ dir, say: (line) => said.push(line), onRestarted: () => undefined });
});
afterEach(async () => {
  await supervisor.stop();
  await removeDataDir(dir);
});

function toy(name: string): ChildProgram {
  const script = `trap 'echo ${name} >> ends; exit 0' TERM; echo up; while :; do sleep 0.02; done`;
  return { command: 'sh', args: ['-c', script], stopSignal: 'TERM' };
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
});
