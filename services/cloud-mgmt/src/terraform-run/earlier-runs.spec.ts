import { hostname } from 'node:os';
import { RunLiveness, type GroupState, type ProcessIdentity } from '@crate/process';
import { describe, expect, it } from '@jest/globals';
import { cloudMgmtConfig } from '../config.js';
import { EarlierRuns } from './earlier-runs.js';
import { InMemoryTerraformRunRepository } from './in-memory-terraform-run.repository.js';
import { runEnding } from './run-ending.js';

const identity: ProcessIdentity = { pid: 1, pgid: 1, startTime: '1', bootId: 'b', host: hostname() };
const run = { id: 'r1', infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation: 1 } as const;
const { reconcile, terraform } = cloudMgmtConfig.shape;
const ENDING = runEnding({ reconcile: reconcile.parse(undefined), terraform: terraform.parse(undefined) });
const noRuntime = (): Promise<void> => Promise.reject(new Error('Not expected'));

function settling(runs: InMemoryTerraformRunRepository, state: GroupState): EarlierRuns {
  return new EarlierRuns({ ...ENDING, runs, graceMs: 0, endProcesses: () => Promise.resolve(state) });
}

async function stateOf(runs: InMemoryTerraformRunRepository): Promise<string | undefined> {
  return (await runs.list('u1'))[0]?.state;
}

describe('EarlierRuns', () => {
  it('has nothing to do when every run was closed', async () => {
    const runs = new InMemoryTerraformRunRepository();
    await runs.open(run);
    await runs.close('r1', 'succeeded');
    await settling(runs, 'alive').settle('u1', noRuntime);

    expect(await stateOf(runs)).toBe('succeeded');
  });

  it('closes a run whose processes are proven dead, after what it set up', async () => {
    const runs = new InMemoryTerraformRunRepository();
    await runs.open(run);
    await runs.saveIdentity('r1', identity);
    await runs.saveRuntime('r1', 'session-1');
    const closed: unknown[] = [];
    await settling(runs, 'gone').settle('u1', async (id) => void closed.push(id, await stateOf(runs)));

    expect(closed).toEqual(['session-1', 'running']);
    expect(await stateOf(runs)).toBe('interrupted');
  });

  it('closes a run that never let a command go', async () => {
    const runs = new InMemoryTerraformRunRepository();
    await runs.open(run);
    await settling(runs, 'alive').settle('u1', noRuntime);

    expect(await stateOf(runs)).toBe('interrupted');
  });

  it.each([
    { name: 'its processes live on', state: 'alive' as const, silentMs: 0 },
    { name: 'it runs on another host and gave a sign of life lately', state: 'elsewhere' as const, silentMs: 30_000 },
    { name: 'Terraform may go on there after its lease', state: 'elsewhere' as const, silentMs: 142_000 },
  ])('refuses to go on while $name', async ({ state, silentMs }) => {
    let now = new Date();
    const runs = new InMemoryTerraformRunRepository(() => now);
    await runs.open(run);
    await runs.saveIdentity('r1', identity);
    now = new Date(now.getTime() + silentMs);
    const pass = settling(runs, state).settle('u1', noRuntime);

    await expect(pass).rejects.toMatchObject({ code: 'Unavailable', details: { reason: 'EarlierRunAlive' } });
    expect(await stateOf(runs)).toBe('running');
  });

  it('takes a run of another host for dead when it was silent for long', async () => {
    let now = new Date();
    const runs = new InMemoryTerraformRunRepository(() => now);
    await runs.open(run);
    await runs.saveIdentity('r1', identity);
    now = new Date(now.getTime() + 142_001);
    await settling(runs, 'elsewhere').settle('u1', noRuntime);

    expect(await stateOf(runs)).toBe('interrupted');
  });

  it('takes none for dead because the clock of the database jumps, until it had the time to be', async () => {
    let [nowMs, elapsedMs] = [Date.now(), 0];
    const runs = new InMemoryTerraformRunRepository(() => new Date(nowMs));
    const endProcesses = (): Promise<GroupState> => Promise.resolve('elsewhere');
    const liveness = new RunLiveness({ ...ENDING, now: () => runs.now(), elapsedMs: () => elapsedMs });
    const earlier = new EarlierRuns({ ...ENDING, runs, endProcesses, liveness });
    const stillAlive = expect.objectContaining({ details: expect.objectContaining({ reason: 'EarlierRunAlive' }) });
    const pass = (ms: number): void => void ([nowMs, elapsedMs] = [nowMs + ms, elapsedMs + ms]);
    // Of a replica that has run no Terraform so far.
    await liveness.look();
    await runs.open(run);
    await runs.saveIdentity('r1', identity);

    nowMs += 600_000;
    await expect(earlier.settle('u1', noRuntime)).rejects.toEqual(stillAlive);
    pass(141_999);
    await expect(earlier.settle('u1', noRuntime)).rejects.toEqual(stillAlive);
    await runs.heartbeat('r1');
    pass(142_000);
    await expect(earlier.settle('u1', noRuntime)).rejects.toEqual(stillAlive);
    pass(1);
    await earlier.settle('u1', noRuntime);
    expect(await stateOf(runs)).toBe('interrupted');
  });
});
