import type { StateDiff } from '@crate/api';
import { eventually } from '@crate/testing';
import { expect, it } from '@jest/globals';
import { CONTEXT, NAMESPACE, PATIENCE, type DemoCluster } from './demo-cluster.js';

const STATES = { group: 'cluster.crate.dev', version: 'v1alpha1', plural: 'enginestateversions' };

interface Version {
  readonly spec: { readonly serial: number; readonly newest: boolean; readonly [field: string]: unknown };
}

/** What a person can do with versions of the engine's state: of a cluster of four nodes that had three before. */
export function engineStates(demo: () => DemoCluster): void {
  async function states(): Promise<readonly Version[]> {
    const options = { namespace: NAMESPACE, fieldSelector: 'spec.clusterRef.name=demo' };
    return (await demo().service.foundation.api.list(STATES, options, CONTEXT)).items as unknown as Version[];
  }

  async function diff(from: number, to: number): Promise<readonly string[]> {
    const ref = { ...STATES, namespace: NAMESPACE, name: `demo.${from}` };
    const write = { verb: 'create', body: { from: to } } as const;
    const found = (await demo().service.foundation.api.writeSubresource(ref, 'diff', write, CONTEXT)) as StateDiff;
    return found.resources.map(({ address, action }) => `${address} ${action}`);
  }

  async function restore(serial: number): Promise<unknown> {
    const ref = { ...STATES, namespace: NAMESPACE, name: `demo.${serial}` };
    const write = { verb: 'create', body: { reason: 'INC-7' } } as const;
    return demo().service.foundation.api.writeSubresource(ref, 'restore', write, CONTEXT);
  }

  async function damagedStates(): Promise<readonly string[]> {
    const lines = (await demo().service.foundation.metrics.text()).split('\n');
    return lines
      .map((line) => /^crate_damaged_states\{.*reason="(\w+)".*\} (\d+)$/.exec(line))
      .flatMap((found) => (found ? [`${found[1]} ${found[2]}`] : []))
      .sort();
  }

  it('goes back to an older state of its engine: the engine runs with it, and the same cluster comes out', async () => {
    const authority = async (): Promise<unknown> => (await states()).map(({ spec }) => spec['lineage'])[0];
    const [newest, ...older] = (await states()).map(({ spec }) => spec.serial);
    const fewer = (await states()).find(({ spec }) => spec['nodes'] === 3)!.spec.serial;
    const lineage = await authority();
    expect(older).toContain(fewer);
    expect(await diff(newest!, fewer)).toContain('node.demo-workers-2 added');

    expect(await restore(fewer)).toMatchObject({ spec: { serial: newest! + 1, restoredFrom: fewer, nodes: 3 } });
    await eventually(
      async () => expect((await demo().find()).status?.stateSerial).toBeGreaterThan(newest! + 1),
      PATIENCE,
    );
    await demo().untilReady();
    expect(await authority()).toBe(lineage);
    const [{ spec }] = (await states()) as [Version];
    expect([spec['nodes'], spec.newest]).toEqual([4, true]);
    expect(await demo().inside((cluster) => cluster.nodes())).toHaveLength(4);
    await demo().pass();
    const edited = `(SELECT max(started_at) FROM engine_runs WHERE kind = 'edit')`;
    expect(await demo().count(`engine_runs WHERE kind = 'up' AND started_at > ${edited}`)).toBe(1);
  });

  it('names versions of its engine state that were taken away, runs on none, and goes on with what a person restores', async () => {
    const [newest, before] = (await states()).map(({ spec }) => spec.serial);
    const { metadata } = await demo().find();
    await demo().service.foundation.database.execute(
      'DELETE FROM secret_versions WHERE owner_uid = $1 AND serial = $2',
      [metadata.uid, newest],
    );
    const runs = await demo().count('engine_runs');
    await demo().enqueue('kubernetes-cluster', 'demo');
    await eventually(async () => {
      expect((await demo().find()).status?.failure).toMatchObject({
        code: 'StateRolledBack',
        remedy: expect.stringContaining('crate state restore --engine') as unknown,
      });
    }, PATIENCE);
    expect(await demo().count('engine_runs')).toBe(runs);
    // What the alert of deploy/prometheus/alerts/states.yaml looks at.
    expect(await damagedStates()).toEqual(['StateForeign 0', 'StateRolledBack 1', 'StateTampered 0']);

    await restore(before!);
    expect((await demo().untilReady()).status?.stateSerial).toBeGreaterThan(newest!);
    expect(await damagedStates()).toEqual(['StateForeign 0', 'StateRolledBack 0', 'StateTampered 0']);
    const events = await demo().service.foundation.events.api.list(
      { group: '', version: 'v1', plural: 'events' },
      { namespace: NAMESPACE },
      CONTEXT,
    );
    expect(events.items.filter((event) => event['reason'] === 'StateRestored')).toHaveLength(2);
  });
}
