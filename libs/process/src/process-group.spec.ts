import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type * as table from './process-table.js';
import type { ProcessIdentity } from './process-identity.js';

const actual = jest.requireActual<typeof table>('./process-table.js');
const listProcesses = jest.fn(actual.listProcesses);
jest.unstable_mockModule('./process-table.js', () => ({ ...actual, listProcesses }));
const { identifyProcess, ...identities } = await import('./process-identity.js');
let machineId: string | undefined;
jest.unstable_mockModule('./process-identity.js', () => ({
  ...identities,
  readMachineId: () => Promise.resolve(machineId),
}));
const { observeProcessGroup, signalGroup } = await import('./process-group.js');

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

  it.each([
    { name: 'this machine, which was restarted', then: 'm1', now: 'm1', want: 'gone' },
    { name: 'another machine of its name', then: 'm1', now: 'm2', want: 'elsewhere' },
    { name: 'a machine that nothing tells from others', then: undefined, now: undefined, want: 'elsewhere' },
    { name: 'nothing that this machine is known to be', then: 'm1', now: undefined, want: 'elsewhere' },
  ])('says $want of a group of another boot of $name', async ({ then, now, want }) => {
    await startGroup('read -r end');
    machineId = now;
    const { machineId: _, ...own } = identity;
    const former = { ...own, bootId: 'another boot', ...(then === undefined ? {} : { machineId: then }) };
    expect(await observeProcessGroup(former)).toBe(want);
  });
});
