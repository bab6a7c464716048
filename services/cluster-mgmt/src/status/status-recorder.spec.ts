import { beforeEach, describe, expect, it } from '@jest/globals';
import { KUBERNETES_CLUSTER, type KubernetesCluster } from '@crate/api';
import { eventually } from '@crate/testing';
import { BARE_SPEC, machineSpec } from '../testing/builders.js';
import { KEY, LocalClients } from '../testing/local-clients.js';
import { StatusRecorder } from './status-recorder.js';

let local: LocalClients;
let recorder: StatusRecorder<KubernetesCluster>;
const stop = new AbortController();
beforeEach(async () => {
  local = new LocalClients();
  const cluster = await local.create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec: BARE_SPEC });
  recorder = new StatusRecorder(local.clusters, cluster, stop.signal);
});

async function version(): Promise<string | undefined> {
  return (await local.clusters.find(KEY.name, KEY.namespace))?.status?.version;
}

describe('StatusRecorder', () => {
  it('writes only the last of several reports', async () => {
    const before = BigInt(await local.revision());
    for (const each of ['v1', 'v2', 'v3']) recorder.report({ version: each });
    await eventually(async () => expect(await version()).toBe('v3'));

    expect(BigInt(await local.revision()) - before).toBe(1n);
  });

  it('has the last word, whatever was reported before', async () => {
    recorder.report({ version: 'v1' });
    await recorder.save({ version: 'v2' });
    const revision = await local.revision();
    await new Promise((resolve) => setTimeout(resolve, 600));

    expect(await version()).toBe('v2');
    expect(await local.revision()).toBe(revision);
  });

  it('writes over a change of the spec, but never over the status of somebody else', async () => {
    await recorder.save({ version: 'v1' });
    await local.clusters.merge(KEY.name, KEY.namespace, { spec: machineSpec() });
    await recorder.save({ version: 'v2' });
    expect(await version()).toBe('v2');

    const other = await local.clusters.find(KEY.name, KEY.namespace);
    await local.clusters.saveStatus(other!, { version: 'other' });
    await expect(recorder.save({ version: 'v3' })).rejects.toMatchObject({ code: 'Conflict' });
    expect(await version()).toBe('other');
  });

  it('writes nothing to an object that took the place of ours', async () => {
    await local.clusters.remove(KEY.name, KEY.namespace);
    await local.create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec: BARE_SPEC });

    await expect(recorder.save({ version: 'v1' })).rejects.toMatchObject({ code: 'Conflict' });
    expect(await version()).toBeUndefined();
  });
});
