import { describe, expect, it } from '@jest/globals';
import { CLUSTER_UID_LABEL, type KubeObject } from '@crate/api';
import type { ResourceApi, ResourceRef } from '@crate/resource-client';
import { InMemoryPlatform } from '../testing/in-memory-platform.js';

type Verb = 'patch' | 'remove';

/** Carries out one call as if it came late: between it and what its pass has read, its object went, and another cluster has one of that name. */
class LateCall {
  isDue = false;
  namesake: KubeObject | undefined;

  constructor(
    private readonly verb: Verb,
    private readonly plural: string,
  ) {}

  readonly wrap = (api: ResourceApi): ResourceApi =>
    new Proxy(api, {
      get: (target, name, receiver): unknown => {
        const member: unknown = Reflect.get(target, name, receiver);
        if (name !== this.verb || typeof member !== 'function') return member;
        return async (ref: ResourceRef, ...rest: readonly unknown[]): Promise<unknown> => {
          if (ref.plural === this.plural && !this.namesake && this.isDue)
            this.namesake = await this.replace(target, ref);
          return member.call(target, ref, ...rest) as unknown;
        };
      },
    });

  private async replace(api: ResourceApi, ref: ResourceRef): Promise<KubeObject> {
    const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
    const { apiVersion, kind, metadata, spec } = (await api.get(ref, context)) as KubeObject & { spec: unknown };
    await api.patch(ref, { metadata: { finalizers: [] } }, { type: 'merge' }, context);
    await api.remove(ref, {}, context);
    const { name, namespace = '' } = metadata;
    const another = { name, namespace, labels: { ...metadata.labels, [CLUSTER_UID_LABEL]: 'another' } };
    return (await api.create(ref, { apiVersion, kind, metadata: another, spec }, {}, context)).object;
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
    const late = new LateCall(verb, plural);
    const platform = new InMemoryPlatform(late.wrap);
    await platform.start();
    const turn = async (): Promise<void> => {
      await platform.pass();
      if (!late.namesake) await platform.settleChildren();
    };
    for (let count = 0; count < 8; count += 1) await turn();

    late.isDue = true;
    if (verb === 'remove') await platform.clusters.remove('demo', 'team-a');
    for (let count = 0; count < 8 && !late.namesake; count += 1) await turn();

    const { name, namespace, resourceVersion } = late.namesake!.metadata;
    const kind = { infrastructures: platform.infrastructures, kubernetesclusters: platform.kubernetesClusters }[plural];
    const now = await (kind ?? platform.installations).find(name, namespace);
    expect(now?.metadata.deletionTimestamp).toBeUndefined();
    expect(now?.metadata.resourceVersion).toBe(resourceVersion);
  });
});
