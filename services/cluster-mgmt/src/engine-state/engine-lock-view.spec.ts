import type { KubernetesCluster } from '@crate/api';
import { toStatus } from '@crate/errors';
import type { GroupState } from '@crate/process';
import { describe, expect, it } from '@jest/globals';
import { engineLiveness } from '../engine/engine-liveness.js';
import { InMemoryEngineRunRepository } from '../engine/in-memory-engine-run.repository.js';
import { engineAtWork, EngineLockView } from './engine-lock-view.js';

const CLUSTER = { metadata: { uid: 'u1', name: 'demo', namespace: 'team-a' } } as KubernetesCluster;
const IDENTITY = { pid: 7, pgid: 7, startTime: '1', bootId: 'b', host: 'host-1' };

const LEASE = { leaseMs: 30_000, graceMs: 4000 };
/** The lease, the grace and one sign of life. */
const SILENT_AFTER_MS = 38_000;

interface Look {
  readonly hasProcess?: boolean;
  readonly group?: GroupState;
  readonly isWorkedOn?: boolean;
  readonly silentMs?: number;
}

async function lookAt(options: Look = {}): Promise<{
  readonly runs: InMemoryEngineRunRepository;
  readonly view: EngineLockView;
}> {
  const { hasProcess = true, group = 'alive', isWorkedOn = false, silentMs = 0 } = options;
  let nowMs = Date.now();
  const runs = new InMemoryEngineRunRepository(() => new Date(nowMs));
  await runs.open({ id: 'r1', clusterUid: 'u1', kind: 'up', configHash: 'h', epoch: 5n, workspace: '/w' });
  if (hasProcess) await runs.saveIdentity('r1', IDENTITY);
  nowMs += silentMs;
  const view = new EngineLockView({
    runs,
    liveness: engineLiveness(runs, LEASE),
    isWorkedOn: ({ namespace, name }) => Promise.resolve(isWorkedOn && `${namespace}/${name}` === 'team-a/demo'),
    observe: () => Promise.resolve(group),
  });
  return { runs, view };
}

describe('the lock of an engine', () => {
  it('is none when no run is open', async () => {
    const { runs, view } = await lookAt();
    await runs.close('r1', 'succeeded');
    expect(await view.current(CLUSTER)).toBeUndefined();
  });

  it.each([
    { name: 'its program lives', given: { group: 'alive' }, want: 'live' },
    { name: 'its program has ended, and its pass goes on', given: { group: 'gone', isWorkedOn: true }, want: 'live' },
    { name: 'its program is gone, and its pass too', given: { group: 'gone' }, want: 'orphaned' },
    { name: 'it is about to begin', given: { hasProcess: false, isWorkedOn: true }, want: 'live' },
    { name: 'it never began', given: { hasProcess: false }, want: 'orphaned' },
    { name: 'its host holds the lease', given: { group: 'elsewhere', isWorkedOn: true }, want: 'live' },
    { name: 'its host lost the lease', given: { group: 'elsewhere', silentMs: SILENT_AFTER_MS }, want: 'live' },
    { name: 'its host is silent', given: { group: 'elsewhere', silentMs: SILENT_AFTER_MS + 1 }, want: 'orphaned' },
  ] as const)('is $want when $name', async ({ given, want }) => {
    const { view } = await lookAt(given);
    expect(await view.current(CLUSTER)).toEqual({
      holder: 'hasProcess' in given ? 'cluster-mgmt' : 'cluster-mgmt@host-1',
      operation: 'up',
      since: expect.stringMatching(/^\d{4}-.*Z$/),
      state: want,
      epoch: '5',
    });
  });

  it('is refused as 409, and says who holds it and what to do', async () => {
    const { view } = await lookAt();
    const status = toStatus(engineAtWork((await view.current(CLUSTER))!));
    expect(status).toMatchObject({ code: 409, message: expect.stringMatching(/cluster-mgmt@host-1 for up since 2/) });
    expect(JSON.stringify(status.details)).toContain('Wait until the run is over');
  });
});
