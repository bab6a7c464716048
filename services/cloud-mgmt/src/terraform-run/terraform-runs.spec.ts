import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RUN_HELD } from '@crate/api';
import { conflict, PlatformError, unavailable } from '@crate/errors';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { TerraformError } from '@crate/terraform';
import { InMemoryTerraformRunRepository } from './in-memory-terraform-run.repository.js';
import { runDurations } from './run-metrics.js';
import { TerraformRuns, type RunTask } from './terraform-runs.js';

let repository: InMemoryTerraformRunRepository;
let runs: TerraformRuns;
let steps: string[];
let flush: () => Promise<void>;
let metrics: InMemoryMetrics;

beforeEach(() => {
  repository = new InMemoryTerraformRunRepository();
  steps = [];
  flush = () => Promise.resolve();
  metrics = new InMemoryMetrics();
  runs = runsThatTry(60_000);
});

/** Tries for so long to close the row of a run. */
function runsThatTry(closeWithinMs: number): TerraformRuns {
  const log = {
    append: (line: string) => void steps.push(line.replace(/run [0-9a-f-]{36}/, 'run ID')),
    flush: () => flush(),
  };
  return new TerraformRuns({
    runs: repository,
    logs: { open: () => Promise.resolve(log), forget: () => Promise.resolve() },
    logger: new InMemoryLogger(),
    durations: runDurations(metrics),
    closeWithinMs,
    ...{ graceMs: 0, silentAfterMs: 0 },
  });
}

function aTask(changes: Partial<RunTask> = {}): RunTask {
  return {
    ...{ infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation: 1 },
    signal: new AbortController().signal,
    openRuntime: () => Promise.resolve({ id: 'session', env: { A: 'b' }, secrets: [] }),
    closeRuntime: async (id) => void steps.push(`close ${id}, ${(await repository.list('u1'))[0]?.state}`),
    onLock: (lock) => void steps.push(lock ? 'locked' : 'unlocked'),
    ...changes,
  };
}

const interrupted = new TerraformError({
  ...{ code: 'Interrupted', message: 'stopped', remedy: '', retryable: true },
  ...{ address: undefined, providerCode: undefined },
});
const stopped = unavailable('The service stops');

describe('a run', () => {
  it('has its row, its lock and its runtime while it works, and gives all of them back', async () => {
    const result = await runs.within(aTask(), async ({ options }) => {
      steps.push(`work ${JSON.stringify(options.env)} ${(await repository.list('u1'))[0]?.runtimeId}`);
      return 7;
    });
    expect(result).toBe(7);
    expect(steps).toEqual([
      '=== terraform apply, run ID, generation 1',
      'locked',
      'work {"A":"b"} session',
      'close session, running',
      '=== run succeeded',
      'unlocked',
    ]);
    expect((await repository.list('u1'))[0]?.state).toBe('succeeded');
  });

  const ends = [
    { name: 'fails', error: new Error('No'), aborted: false, state: 'failed', thrown: 'No' },
    { name: 'is stopped', error: new Error('No'), aborted: true, state: 'interrupted', thrown: stopped.message },
    { name: 'was interrupted', error: interrupted, aborted: false, state: 'interrupted', thrown: 'stopped' },
  ];
  it.each(ends)('that $name says so, and why', async ({ error, aborted, state, thrown }) => {
    const signal = aborted ? AbortSignal.abort(stopped) : new AbortController().signal;
    await expect(runs.within(aTask({ signal }), () => Promise.reject(error))).rejects.toThrow(thrown);
    expect((await repository.list('u1'))[0]?.state).toBe(state);
    expect(steps).toContain('close session, running');
  });

  describe('whose row cannot be closed', () => {
    it('is closed once the database answers again', async () => {
      jest.spyOn(repository, 'close').mockRejectedValueOnce(unavailable('away'));
      expect(await runs.within(aTask(), () => Promise.resolve(7))).toBe(7);
      expect(await repository.list('u1')).toMatchObject([{ state: 'succeeded' }]);
      expect(steps.at(-1)).toBe('unlocked');
    });

    it('has the end of its log stored with each try, as the database was away for that, too', async () => {
      flush = () => Promise.resolve(void steps.push('stored'));
      jest.spyOn(repository, 'close').mockRejectedValueOnce(unavailable('away'));
      await runs.within(aTask(), () => Promise.resolve());
      expect(steps.slice(-4)).toEqual(['=== run succeeded', 'stored', 'stored', 'unlocked']);
    });

    it('ends with Unavailable, so that another pass comes, and holds its lock', async () => {
      jest.spyOn(repository, 'close').mockRejectedValue(unavailable('away'));
      const ended = runsThatTry(600).within(aTask(), () => Promise.resolve(7));
      await expect(ended).rejects.toMatchObject({ code: 'Unavailable', details: { reason: 'RunNotClosed' } });
      expect(steps).not.toContain('unlocked');
    });

    it('says why it failed, where it did', async () => {
      jest.spyOn(repository, 'close').mockRejectedValue(unavailable('away'));
      const ended = runsThatTry(600).within(aTask(), () => Promise.reject(new Error('No')));
      await expect(ended).rejects.toThrow('No');
    });
  });

  it('counts as refused where its plan was not let through', async () => {
    const held = new PlatformError('Forbidden', 'held', { details: { reason: RUN_HELD } });
    await expect(runs.within(aTask(), () => Promise.reject(held))).rejects.toThrow('held');
    const of = (outcome: string): number =>
      metrics.observed('crate_terraform_run_seconds', { kind: 'apply', outcome }).length;
    expect([of('refused'), of('failed')]).toEqual([1, 0]);
    expect((await repository.list('u1'))[0]?.state).toBe('failed');
  });

  it('does nothing for a pass that was overtaken', async () => {
    await runs.within(aTask({ epoch: 2n }), () => Promise.resolve());
    steps = [];
    const late = runs.within(aTask(), () => Promise.reject(conflict('Not expected')));
    await expect(late).rejects.toThrow('A newer pass has taken over');
    expect(steps).toEqual([]);
  });

  it('is over when the way to the provider cannot be opened', async () => {
    const openRuntime = (): Promise<never> => Promise.reject(unavailable('No provider'));
    await expect(runs.within(aTask({ openRuntime }), () => Promise.resolve())).rejects.toThrow('No provider');
    expect((await repository.list('u1'))[0]?.state).toBe('failed');
  });
});
