import { hostname } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { observeProcessGroup, type GroupState } from './process-group.js';
import type { ProcessIdentity } from './process-identity.js';
import { RunLiveness, type OpenRun, type RunEnd } from './run-liveness.js';
import { runProcess } from './run-process.js';

const SILENT_AFTER_MS = 142_000;
const BEGUN_MS = Date.UTC(2026, 0, 1);
const IDENTITY: ProcessIdentity = { pid: 1, pgid: 1, startTime: '1', bootId: 'b', host: hostname() };
const RUN: OpenRun = { identity: IDENTITY, heartbeatAt: new Date(BEGUN_MS) };

function endGiving(state: GroupState): RunEnd {
  return { program: 'Terraform', graceMs: 0, endProcesses: () => Promise.resolve(state) };
}

/** Clocks that stand still until a test sets them. */
function clocks(): { readonly liveness: RunLiveness; jump: (ms: number) => void; pass: (ms: number) => void } {
  let [nowMs, elapsedMs] = [BEGUN_MS, 0];
  const liveness = new RunLiveness({
    now: () => Promise.resolve(new Date(nowMs)),
    elapsedMs: () => elapsedMs,
    silentAfterMs: SILENT_AFTER_MS,
  });
  const jump = (ms: number): void => void (nowMs += ms);
  return { liveness, jump, pass: (ms) => void (jump(ms), (elapsedMs += ms)) };
}

const STILL_ALIVE = {
  code: 'Unavailable',
  message: 'An earlier run of Terraform may still be alive',
  details: { reason: 'EarlierRunAlive' },
};

describe('RunLiveness', () => {
  it.each([
    { name: 'its processes live on', state: 'alive', silentMs: SILENT_AFTER_MS + 1 },
    { name: 'it runs on another host and gave a sign of life lately', state: 'elsewhere', silentMs: 30_000 },
    { name: 'its program may go on there', state: 'elsewhere', silentMs: SILENT_AFTER_MS },
  ] as const)('takes no run for dead while $name', async ({ state, silentMs }) => {
    const { liveness, pass } = clocks();
    pass(silentMs);
    await expect(liveness.requireDead(RUN, endGiving(state))).rejects.toMatchObject(STILL_ALIVE);
  });

  it.each([
    { name: 'its processes are gone', run: RUN, state: 'gone', silentMs: 0 },
    { name: 'its program never made a step', run: { ...RUN, identity: undefined }, state: 'alive', silentMs: 0 },
    { name: 'its host was silent for long', run: RUN, state: 'elsewhere', silentMs: SILENT_AFTER_MS + 1 },
  ] as const)('takes a run for dead when $name', async ({ run, state, silentMs }) => {
    const { liveness, pass } = clocks();
    pass(silentMs);
    await liveness.requireDead(run, endGiving(state));
  });

  it('takes none for dead because the clock of the database jumps, until it had the time to be', async () => {
    const { liveness, jump, pass } = clocks();
    await liveness.look();
    jump(600_000);
    expect(await liveness.isSilent(RUN)).toBe(false);

    pass(SILENT_AFTER_MS - 1);
    expect(await liveness.isSilent(RUN)).toBe(false);
    pass(1);
    expect(await liveness.isSilent(RUN)).toBe(true);
  });

  it('takes no run for dead because another machine has the name of its host', async () => {
    const { liveness, pass } = clocks();
    const end = { program: 'Terraform', graceMs: 0 };
    pass(5_000);
    await expect(liveness.requireDead(RUN, end)).rejects.toMatchObject(STILL_ALIVE);
    pass(SILENT_AFTER_MS);
    await liveness.requireDead(RUN, end);
  });

  it('ends a real process that a dead pass left behind', async () => {
    let program: Promise<unknown> = Promise.resolve();
    const identity = await new Promise<ProcessIdentity>((resolve) => {
      const onStart = (own: ProcessIdentity): Promise<void> => Promise.resolve(resolve(own));
      program = runProcess({ command: 'sleep', args: ['60'], cwd: '/', env: { PATH: '/usr/bin:/bin' }, onStart });
    });
    // Its watcher may not be there yet: then nobody asks it to end, and it is killed after the grace.
    await clocks().liveness.requireDead({ ...RUN, identity }, { program: 'sleep', graceMs: 500 });

    expect(await observeProcessGroup(identity)).toBe('gone');
    await program;
  });
});
