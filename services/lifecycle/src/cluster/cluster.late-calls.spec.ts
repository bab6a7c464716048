import { describe, expect, it } from '@jest/globals';
import { CLUSTER_UID_LABEL, type KubeObject } from '@crate/api';
import { conflict } from '@crate/errors';
import type { ResourceApi, ResourceRef } from '@crate/resource-client';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

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

    isDue = true;
    if (verb === 'remove') await platform.clusters.remove('demo', 'team-a');
    for (let turn = 0; turn < 8 && !namesake; turn += 1) await platform.pass();

    const { name, namespace, resourceVersion } = namesake!.metadata;
    const kind = { infrastructures: platform.infrastructures, kubernetesclusters: platform.kubernetesClusters }[plural];
    const now = await (kind ?? platform.installations).find(name, namespace);
    expect(now?.metadata).toMatchObject({ uid: namesake!.metadata.uid, resourceVersion });
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

    isDue = true;
    expect(await platform.pass(0, lease)).toMatchObject({ code: 'Conflict' });
    expect(stated).toEqual(['demo-baseline']);
  });
});
