import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { serviceReportSchema, type ReplicaReport, type ServiceReport } from '@crate/api';
import type { Database } from '@crate/database';
import { settled } from '@crate/reconcile';
import type { CallContext } from '@crate/resource-client';
import { eventually } from '@crate/testing';
import type { ServiceHost } from '../service-host.js';
import { HostBench, ToyReconciler, type ToyParts } from '../testing/host-bench.js';
import { WIDGET } from '../testing/toy-kinds.js';

const CALL: CallContext = { caller: { user: 'test', groups: [] }, traceId: 'trace' };

let bench: HostBench;
beforeAll(async () => {
  bench = await HostBench.start();
});
afterAll(async () => bench.close());
beforeEach(async () => bench.useNewDatabase());
afterEach(async () => bench.stopAll());

/** Passes of widgets last until they are told to end. */
function widgets(end: Promise<void> = Promise.resolve()): ToyParts {
  const reconciler = new ToyReconciler('widget', async () => {
    await end;
    return settled;
  });
  return { kinds: [{ definition: WIDGET }], reconcilers: [{ reconciler, kind: WIDGET }] };
}

const states = ({ replicas }: ServiceReport): readonly ReplicaReport['state'][] =>
  replicas.map(({ state }) => state).sort();

/** As time goes by, without waiting for it. */
async function age(host: ServiceHost, ms: number, where = 'true'): Promise<void> {
  await host.foundation.database.execute(
    `UPDATE service_replicas SET started_at = started_at - $1 * interval '1 ms', seen_at = seen_at - $1 * interval '1 ms',
     stopped_at = stopped_at - $1 * interval '1 ms' WHERE ${where}`,
    [ms],
  );
}

/** As a statement that holds up all others, until what this gives is called. */
async function lock(database: Database, table: string): Promise<() => Promise<void>> {
  let [end, whole] = [(): void => undefined, Promise.resolve()];
  await new Promise<void>((resolve, reject) => {
    whole = database.transaction(async (transaction) => {
      await transaction.execute(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      resolve();
      await new Promise<void>((ended) => (end = ended));
    });
    whole.catch(reject);
  });
  return () => {
    end();
    return whole;
  };
}

describe('what a service tells of itself', () => {
  it('is the same whichever replica is asked, over NATS, and holds what was promised', async () => {
    await bench.start('cloud-mgmt', widgets());
    await bench.start('cloud-mgmt', widgets());
    const { foundation } = await bench.start('lifecycle', {});

    // What is not found out within a second is named as missing: a report may lack something where the machine is busy.
    const report = await eventually(async () => {
      const told = serviceReportSchema.parse(await foundation.calls.call('cloud-mgmt', 'status', {}, CALL));
      expect([told.missing, states(told)]).toEqual([[], ['Ready', 'Ready']]);
      return told;
    });
    expect(report).toMatchObject({ service: 'cloud-mgmt', certificates: [], leases: [], runs: [] });
    expect(report.queues).toMatchObject([{ reconciler: 'widget', due: 0, inWork: 0 }]);
    expect(report.database).toMatchObject({ role: 'primary', migrations: { latest: expect.stringMatching(/^2026/) } });
    expect(report.replicas[0]).toMatchObject({
      ...{ pid: process.pid, version: '0.1.0', nodeVersion: process.version, nats: { connected: true, reconnects: 0 } },
      checks: expect.arrayContaining([{ name: 'postgres', ok: true }]),
      memory: { residentBytes: expect.any(Number) },
    });
    expect(Math.abs(report.replicas[0]?.clockSkewMs ?? Infinity)).toBeLessThan(30_000);
  });

  it('is told to lifecycle only', async () => {
    await bench.start('policy-mgmt', {});
    const { foundation } = await bench.start('cloud-mgmt', {});
    await expect(foundation.calls.call('policy-mgmt', 'status', {}, CALL)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('says who works on what, and that nobody does once it is done', async () => {
    let end = (): void => undefined;
    const host = await bench.start('cloud-mgmt', widgets(new Promise((resolve) => (end = resolve))));
    await host.foundation.clients
      .for(WIDGET)
      .ensure({ metadata: { name: 'one', namespace: 'team-a' }, spec: { size: 1 } }, 'test');
    const held = { kind: 'Work', task: 'widget', namespace: 'team-a', name: 'one', state: 'live' };
    await eventually(async () => {
      expect((await host.foundation.status.report()).leases).toMatchObject([
        { ...held, holder: expect.stringMatching(new RegExp(`^cloud-mgmt@.*:${process.pid}$`)) },
      ]);
    });
    end();
    await eventually(async () => expect((await host.foundation.status.report()).leases).toEqual([]));
  });

  it('tells silence from an end in order, and from a process that another has replaced', async () => {
    const first = await bench.start('cloud-mgmt', {});
    await eventually(async () => expect(states(await first.foundation.status.report())).toEqual(['Ready']));
    const second = await bench.start('cloud-mgmt', {});
    await eventually(async () => expect(states(await second.foundation.status.report())).toEqual(['Ready', 'Ready']));
    await bench.stop(second);
    await eventually(async () => expect(states(await first.foundation.status.report())).toEqual(['Ready', 'Stopped']));

    // As if it had been killed instead, on another host.
    await age(first, 20_000, 'stopped_at IS NOT NULL');
    await first.foundation.database.execute(
      `UPDATE service_replicas SET stopped_at = NULL, host = 'other' WHERE stopped_at IS NOT NULL`,
    );
    await eventually(async () => expect(states(await first.foundation.status.report())).toEqual(['Ready', 'Silent']));
    await first.foundation.database.execute(
      `UPDATE service_replicas SET host = (SELECT host FROM service_replicas WHERE host <> 'other'),
       started_at = started_at - interval '1 h', seen_at = seen_at - interval '5 min' WHERE host = 'other'`,
    );
    await eventually(async () => expect(states(await first.foundation.status.report())).toEqual(['Ready', 'Replaced']));
  });

  it('names what does not answer, and tells the rest in time', async () => {
    const host = await bench.start('cloud-mgmt', widgets());
    const { database, status } = host.foundation;
    await eventually(async () => expect(states(await status.report())).toEqual(['Ready']));
    const unlock = await lock(database, 'work_items');
    await eventually(async () => {
      const begun = performance.now();
      const report = await status.report();
      expect(report.missing).toEqual([{ part: 'queue', message: 'No answer within 1000 ms' }]);
      expect(performance.now() - begun).toBeLessThan(5_000);
      expect([states(report), report.database?.role]).toEqual([['Ready'], 'primary']);
    });
    await unlock();
    await eventually(async () => expect((await status.report()).missing).toEqual([]));
  });

  it('does not call a replica unready for a database that is late with who is there', async () => {
    const { database, status } = (await bench.start('cloud-mgmt', {})).foundation;
    // Anew where it took so long that nobody said just now how it is.
    await eventually(async () => {
      await eventually(async () => expect((await status.report()).missing).toEqual([]));
      const unlock = await lock(database, 'service_replicas');
      try {
        const report = await eventually(async () => {
          const told = await status.report();
          expect(told.missing).toEqual([{ part: 'replicas', message: 'No answer within 1000 ms' }]);
          return told;
        });
        expect(states(report)).toEqual(['Ready']);
      } finally {
        await unlock();
      }
    });
  });
});
