import { describe, expect, it } from '@jest/globals';
import {
  CLUSTER_UID_LABEL,
  FORCE_ANNOTATION,
  FORCED_ANNOTATION,
  INFRASTRUCTURE,
  KEEP_VOLUMES_ANNOTATION,
  PAUSED_ANNOTATION,
  type Cluster,
  type Infrastructure,
  type KubeObject,
} from '@crate/api';
import { conflict } from '@crate/errors';
import type { ResourceApi, ResourceRef, TypedClient } from '@crate/resource-client';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';
import { pauseChild, resumeChild } from './cluster.children.js';
import { passForceOn } from './cluster.deletion.js';
import { passVolumesOn } from './kept-volumes.js';

type Verb = 'patch' | 'remove';

/** Has `first` done before each call of the verb. */
function before(verb: Verb, api: ResourceApi, first: (ref: ResourceRef) => unknown): ResourceApi {
  return new Proxy(api, {
    get: (target, name, receiver): unknown => {
      const member: unknown = Reflect.get(target, name, receiver);
      if (name !== verb || typeof member !== 'function') return member;
      return async (ref: ResourceRef, ...rest: readonly unknown[]): Promise<unknown> => {
        await first(ref);
        return member.call(target, ref, ...rest) as unknown;
      };
    },
  });
}

/** Makes the object go, and another cluster have one of that name. */
async function replace(api: ResourceApi, ref: ResourceRef): Promise<KubeObject> {
  const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
  const { apiVersion, kind, metadata, spec } = (await api.get(ref, context)) as KubeObject & { spec: unknown };
  await api.patch(ref, { metadata: { finalizers: [] } }, { type: 'merge' }, context);
  await api.remove(ref, {}, context);
  const { name, namespace = '' } = metadata;
  const another = { name, namespace, labels: { ...metadata.labels, [CLUSTER_UID_LABEL]: 'another' } };
  return (await api.create(ref, { apiVersion, kind, metadata: another, spec }, {}, context)).object;
}

async function makeReady(platform: InMemoryPlatform): Promise<void> {
  await platform.start();
  for (let turn = 0; turn < 8; turn += 1) {
    await platform.pass();
    await platform.settleChildren();
  }
}

/** Gives passes something to tell all children, which leaves them Ready. */
async function label(platform: InMemoryPlatform): Promise<void> {
  await platform.clusters.merge('demo', 'team-a', { metadata: { labels: { team: 'a' } } });
}

describe('a call of a pass that comes when its child is gone', () => {
  const rows: readonly { readonly verb: Verb; readonly plural: string }[] = [
    { verb: 'remove', plural: 'infrastructures' },
    { verb: 'remove', plural: 'kubernetesclusters' },
    { verb: 'remove', plural: 'addoninstallations' },
    { verb: 'patch', plural: 'infrastructures' },
    { verb: 'patch', plural: 'kubernetesclusters' },
    { verb: 'patch', plural: 'addoninstallations' },
  ];

  it.each(rows)('does not $verb the next one of its name among $plural', async ({ verb, plural }) => {
    let isDue = false;
    let namesake: KubeObject | undefined;
    const platform = new InMemoryPlatform((api) =>
      before(verb, api, async (ref) => {
        if (isDue && !namesake && ref.plural === plural) namesake = await replace(api, ref);
      }),
    );
    await makeReady(platform);
    await label(platform);

    isDue = true;
    if (verb === 'remove') await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 8 && !namesake; turn += 1) await platform.pass();

    const { name, namespace, resourceVersion } = namesake!.metadata;
    const kind = { infrastructures: platform.infrastructures, kubernetesclusters: platform.kubernetesClusters }[plural];
    const now = await (kind ?? platform.installations).find(name, namespace);
    expect(now?.metadata).toMatchObject({ uid: namesake!.metadata.uid, resourceVersion });
  });
});

describe('what is said to a child that is gone', () => {
  type Say = (client: TypedClient<Infrastructure>, cluster: Cluster, gone: Infrastructure) => Promise<unknown>;
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const leaving = <T extends KubeObject>(object: T, annotations: Record<string, string> = {}): T => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp, annotations },
  });
  const rows: readonly { readonly name: string; readonly say: Say }[] = [
    {
      name: 'that its deletion is forced',
      say: (client, cluster, gone) => {
        const forced = { [FORCE_ANNOTATION]: 'closed', [FORCED_ANNOTATION]: `${deletionTimestamp} ada` };
        return passForceOn(client, leaving(cluster, forced), leaving(gone));
      },
    },
    {
      name: 'which volumes are to outlive it',
      say: (client, cluster, gone) =>
        passVolumesOn(client, leaving(cluster, { [KEEP_VOLUMES_ANNOTATION]: 'vol-1' }), gone),
    },
    {
      name: 'to begin nothing',
      say: (client, _cluster, gone) => pauseChild(client, gone),
    },
    {
      name: 'to go on',
      say: (client, _cluster, gone) => {
        const annotations = { [PAUSED_ANNOTATION]: 'true' };
        return resumeChild(client, { ...gone, metadata: { ...gone.metadata, annotations } });
      },
    },
  ];

  it.each(rows)('is not said to the next one of its name: $name', async ({ say }) => {
    const platform = new InMemoryPlatform();
    await makeReady(platform);
    const cluster = (await platform.clusters.find('demo', 'team-a'))!;
    const gone = (await platform.infrastructures.find('demo', 'team-a'))!;
    const { group, version, plural } = INFRASTRUCTURE;
    const namesake = await replace(platform.api, { group, version, plural, namespace: 'team-a', name: 'demo' });

    await expect(say(platform.infrastructures, cluster, gone)).rejects.toMatchObject({ code: 'Conflict' });
    const now = await platform.infrastructures.find('demo', 'team-a');
    expect(now?.metadata).toMatchObject({
      uid: namesake.metadata.uid,
      resourceVersion: namesake.metadata.resourceVersion,
    });
  });
});

describe('a pass that has lost its lease', () => {
  it('states no further add-on: its successor may have stated it anew', async () => {
    const lease = new AbortController();
    let isDue = false;
    const stated: string[] = [];
    const platform = new InMemoryPlatform((api) =>
      before('patch', api, ({ plural, name }) => {
        if (!isDue || plural !== 'addoninstallations') return;
        stated.push(name);
        lease.abort(conflict('The lease was lost'));
      }),
    );
    await makeReady(platform);
    await label(platform);

    isDue = true;
    expect(await platform.pass(0, lease)).toMatchObject({ code: 'Conflict' });
    expect(stated).toEqual(['demo-baseline']);
  });
});
