import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { findWatcher } from './leash.js';
import { readBootId, readMachineId, type ProcessIdentity } from './process-identity.js';
import { findProcess, listProcesses } from './process-table.js';

const FIRST_LOOK_MS = 2;
const LOOK_EVERY_MS = 50;
/** SIGKILL cannot be refused, but a process in an uninterruptible call takes its time. */
const KILL_WAIT_MS = 10_000;

/** `elsewhere`: it ran on another host, or on one that cannot be told from another, so nothing can be said from here. */
export type GroupState = 'gone' | 'alive' | 'elsewhere';

/** Looks whether any process of the group lives. No side effects. */
export async function observeProcessGroup(identity: ProcessIdentity): Promise<GroupState> {
  if (identity.host !== hostname()) return 'elsewhere';
  if (identity.bootId !== (await readBootId())) return (await isRestarted(identity)) ? 'gone' : 'elsewhere';
  const leader = await findProcess(identity.pid);
  // A pid is not given out again while a group of that number has members, so another leader proves the old group dead.
  if (leader) return leader.startTime === identity.startTime ? 'alive' : 'gone';
  if (isUnknownToKernel(identity.pgid)) return 'gone';
  const processes = await listProcesses();
  return processes.some((entry) => entry.pgid === identity.pgid) ? 'alive' : 'gone';
}

/** Names of hosts are given again, such as that of a pod to its successor on another node: the former one may go on. */
async function isRestarted({ machineId }: ProcessIdentity): Promise<boolean> {
  return machineId !== undefined && machineId === (await readMachineId());
}

/** What the kernel knows may still be no more than zombies, or not ours to signal: that is no proof of life. */
function isUnknownToKernel(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * Ends what is left of the group: asks it to stop unless its leash has done so, then SIGKILL after `graceMs`. Gives `gone` once proven,
 * `elsewhere` when the group ran on another host, and `alive` when even SIGKILL has not ended it yet. Idempotent.
 */
export async function ensureProcessGroupGone(identity: ProcessIdentity, graceMs: number): Promise<GroupState> {
  const before = await observeProcessGroup(identity);
  if (before !== 'alive') return before;
  await askOnce(identity);
  return killAfter(identity, graceMs);
}

/** SIGTERM to every process of the group, then SIGKILL after `graceMs`. Gives what `ensureProcessGroupGone` does. */
export async function endProcessGroup(identity: ProcessIdentity, graceMs: number): Promise<GroupState> {
  const before = await observeProcessGroup(identity);
  if (before !== 'alive') return before;
  signalGroup(identity.pgid, 'SIGTERM');
  return killAfter(identity, graceMs);
}

/** SIGINT, which plugins of Go programs ignore, so that their host can finish. Terraform answers a second signal by dropping what is in flight. */
async function askOnce({ pgid }: ProcessIdentity): Promise<void> {
  const watcher = await findWatcher(pgid);
  if (watcher === undefined) return;
  // It would ask as well, when the parent dies or gives up.
  signalTo(watcher, 'SIGKILL');
  signalGroup(pgid, 'SIGINT');
}

async function killAfter(identity: ProcessIdentity, graceMs: number): Promise<GroupState> {
  const asked = await waitForGroup(identity, graceMs);
  if (asked !== 'alive') return asked;
  signalGroup(identity.pgid, 'SIGKILL');
  return waitForGroup(identity, KILL_WAIT_MS);
}

/** Waits for the group to end by itself, up to `withinMs`. */
export async function waitForGroup(identity: ProcessIdentity, withinMs: number): Promise<GroupState> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LOOK_EVERY_MS)) {
    const state = await observeProcessGroup(identity);
    if (state !== 'alive' || performance.now() >= deadline) return state;
    await sleep(pauseMs);
  }
}

/** Sends a signal to every process of the group; a group that is gone is fine. */
export function signalGroup(pgid: number, signal: NodeJS.Signals): void {
  signalTo(-pgid, signal);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
