import { CLUSTER, PROJECT, type Cluster, type Project } from '@crate/api';
import { unavailable } from '@crate/errors';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Attachment } from './attachment.js';

const CONTEXT = { caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' }, traceId: 't' };
const PLACE = { project: 'platform', name: 'in-cluster' };

let projects: TypedClient<Project>;
let clusters: TypedClient<Cluster>;
let refusal: Error | undefined;
let store: InMemoryResourceStore;
beforeEach(() => {
  store = new InMemoryResourceStore();
  refusal = undefined;
  const admit = [(): Promise<void> => (refusal ? Promise.reject(refusal) : Promise.resolve())];
  const kinds = new KindRegistry([{ definition: PROJECT }, { definition: CLUSTER, admit }]);
  const api = new LocalResourceApi({ store, kinds });
  projects = new TypedClient(api, PROJECT, CONTEXT);
  clusters = new TypedClient(api, CLUSTER, CONTEXT);
});

function attachment(): Attachment {
  return new Attachment({ projects, clusters, logger: new InMemoryLogger(), firstPauseMs: 5 }, PLACE);
}

describe('Attachment', () => {
  it('shows the cluster once, and writes nothing when it starts again', async () => {
    await attachment().attach();
    expect((await clusters.find('in-cluster', 'platform'))?.spec.kubernetes).toEqual({ engine: 'existing' });
    const before = await store.currentRevision();
    await attachment().attach();
    expect(await store.currentRevision()).toBe(before);
  });

  it('does not bring back what a person has let go of', async () => {
    await attachment().attach();
    await clusters.remove('in-cluster', 'platform');
    await attachment().attach();
    expect(await clusters.list()).toEqual([]);
  });

  it('goes on where it was interrupted', async () => {
    refusal = unavailable('policy-mgmt is away');
    await expect(attachment().attach()).rejects.toThrow('away');
    refusal = undefined;
    await attachment().attach();
    expect(await clusters.list()).toHaveLength(1);
  });

  it('tries until somebody judges it, and ends when it is told to', async () => {
    refusal = unavailable('policy-mgmt is away');
    const attaching = attachment();
    attaching.start();
    await eventually(async () => expect(await projects.list()).toHaveLength(1));
    refusal = undefined;
    await eventually(async () => expect(await clusters.list()).toHaveLength(1));
    await attaching.stop();

    await projects.merge('platform', undefined, {
      metadata: { annotations: { 'lifecycle.crate.dev/in-cluster-attached': null } },
    });
    await clusters.remove('in-cluster', 'platform');
    refusal = unavailable('policy-mgmt is away');
    const waiting = attachment();
    waiting.start();
    await waiting.stop();
    expect(await clusters.list()).toEqual([]);
  });
});
