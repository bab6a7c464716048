import { RunLiveness, type GroupState } from '@crate/process';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { cloudMgmtConfig } from '../config.js';
import { InMemoryTerraformRunRepository } from '../terraform-run/in-memory-terraform-run.repository.js';
import { runEnding } from '../terraform-run/run-ending.js';
import { LockView, SILENT_HERE_MS } from './lock-view.js';

const START = new Date('2026-01-01T00:00:00Z');
const IDENTITY = { pid: 7, pgid: 7, startTime: '1', bootId: 'b', host: 'h' };

const { reconcile, terraform } = cloudMgmtConfig.shape;
const { silentAfterMs } = runEnding({ reconcile: reconcile.parse(undefined), terraform: terraform.parse(undefined) });

let now: Date;
let group: GroupState;
let runs: InMemoryTerraformRunRepository;
let view: LockView;
beforeEach(() => {
  now = START;
  group = 'alive';
  runs = new InMemoryTerraformRunRepository(() => now);
  view = new LockView({ silentAfterMs, runs, locks: runs.locks, observe: () => Promise.resolve(group) });
});

async function openRun(hasProcess: boolean): Promise<void> {
  await runs.open({ id: 'run-1', infrastructureUid: 'u1', kind: 'apply', epoch: 5n, generation: 1 });
  if (hasProcess) await runs.saveIdentity('run-1', IDENTITY);
}

describe('a lock', () => {
  it('that nobody holds is none', async () => {
    expect(await view.current('u1')).toBeUndefined();
  });

  it.each([
    { name: 'was heard of within the hour', silentMs: 3_600_000, want: 'live' },
    { name: 'was not heard of for longer', silentMs: 3_600_001, want: 'orphaned' },
  ])('of a person who $name is $want', async ({ silentMs, want }) => {
    await runs.locks.acquire({ infrastructureUid: 'u1', id: 'l', holder: 'vera', operation: 'plan', info: '' });
    const taken = now;
    now = new Date(START.getTime() + 86_400_000);
    await runs.locks.whileQuiet('u1', { id: 'l' }, () => Promise.resolve());
    const lastSeen = now.toISOString();
    now = new Date(now.getTime() + silentMs);
    expect(await view.current('u1', 9n)).toEqual({
      holder: 'vera',
      operation: 'plan',
      since: taken.toISOString(),
      lastSeen,
      state: want,
    });
  });

  it.each([
    { name: 'its process lives', process: true, state: 'alive', silentMs: 600_000, epoch: undefined, want: 'live' },
    {
      name: 'its process lives on, though a newer pass asks',
      process: true,
      state: 'alive',
      silentMs: 0,
      epoch: 6n,
      want: 'live',
    },
    {
      name: 'it is between two commands',
      process: true,
      state: 'gone',
      silentMs: 5_000,
      epoch: undefined,
      want: 'live',
    },
    { name: 'its own pass asks', process: true, state: 'gone', silentMs: 5_000, epoch: 5n, want: 'live' },
    {
      name: 'its process is gone, and a newer pass asks',
      process: true,
      state: 'gone',
      silentMs: 5_000,
      epoch: 6n,
      want: 'orphaned',
    },
    {
      name: 'its process is gone, and it is silent',
      process: true,
      state: 'gone',
      silentMs: 36_000,
      epoch: undefined,
      want: 'orphaned',
    },
    { name: 'it is about to begin', process: false, state: 'gone', silentMs: 5_000, epoch: undefined, want: 'live' },
    {
      name: 'it never began, and a newer pass asks',
      process: false,
      state: 'alive',
      silentMs: 0,
      epoch: 6n,
      want: 'orphaned',
    },
    {
      name: 'it told from elsewhere that it lives, and Terraform may go on there',
      process: true,
      state: 'elsewhere',
      silentMs: 142_000,
      epoch: 6n,
      want: 'live',
    },
    {
      name: 'its lease elsewhere and the grace passed',
      process: true,
      state: 'elsewhere',
      silentMs: 142_001,
      epoch: undefined,
      want: 'orphaned',
    },
  ] as const)('of a run is $want when $name', async ({ process, state, silentMs, epoch, want }) => {
    await openRun(process);
    group = state;
    now = new Date(START.getTime() + silentMs);
    expect(await view.current('u1', epoch)).toMatchObject({
      holder: expect.stringMatching(/^cloud-mgmt@/),
      operation: 'apply',
      since: START.toISOString(),
      state: want,
      epoch: '5',
    });
  });

  it('of a run elsewhere is live when the clock of the database jumps, until the run had the time to be over', async () => {
    let elapsedMs = 0;
    const liveness = new RunLiveness({ silentAfterMs, now: () => runs.now(), elapsedMs: () => elapsedMs });
    view = new LockView({
      liveness,
      silentAfterMs,
      runs,
      locks: runs.locks,
      observe: () => Promise.resolve('elsewhere'),
    });
    await liveness.look();
    await openRun(true);

    now = new Date(START.getTime() + 600_000);
    expect(await view.current('u1')).toMatchObject({ state: 'live' });
    elapsedMs = silentAfterMs;
    now = new Date(now.getTime() + silentAfterMs);
    expect(await view.current('u1')).toMatchObject({ state: 'orphaned' });
  });
});

it.each(['terraform-state.md', 'runbooks/CrateStateLockHeldLong.md', 'runbooks/CrateStateDamaged.md'])(
  'docs/%s tells people for how long a run that died is waited for',
  async (name) => {
    const text = await readFile(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
    for (const ms of [SILENT_HERE_MS, silentAfterMs]) expect(text).toContain(`${ms / 1000} s`);
  },
);
