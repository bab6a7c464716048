import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type * as table from './process-table.js';
import type { ProcessIdentity } from './process-identity.js';

const actual = jest.requireActual<typeof table>('./process-table.js');
const listProcesses = jest.fn(actual.listProcesses);
jest.unstable_mockModule('./process-table.js', () => ({ ...actual, listProcesses }));
const { observeProcessGroup, signalGroup } = await import('./process-group.js');
const { identifyProcess } = await import('./process-identity.js');

let leader: ChildProcess;
let identity: ProcessIdentity;

/** A group whose leader ends when its input does. */
async function startGroup(script: string): Promise<void> {
  leader = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  identity = (await identifyProcess(leader.pid!))!;
}

async function endLeader(): Promise<void> {
  const exited = once(leader, 'exit');
  leader.stdin?.end();
  await exited;
}

beforeEach(() => void listProcesses.mockClear());
afterEach(() => signalGroup(identity.pgid, 'SIGKILL'));

describe('observeProcessGroup', () => {
  it('takes the word of the kernel for a group that is gone, whatever else the machine runs', async () => {
    await startGroup('read -r end');
    await endLeader();

    expect(await observeProcessGroup(identity)).toBe('gone');
    expect(listProcesses).not.toHaveBeenCalled();
  });

  it('looks for those that live on when the leader has ended', async () => {
    await startGroup('sleep 600 & read -r end');
    await endLeader();

    expect(await observeProcessGroup(identity)).toBe('alive');
    expect(listProcesses).toHaveBeenCalledTimes(1);
  });
});
