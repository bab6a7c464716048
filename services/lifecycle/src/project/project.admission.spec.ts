import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  CLOUD_ACCOUNT,
  CLUSTER,
  KUBERNETES_CLUSTER,
  POLICY,
  POLICY_WAIVER,
  PROJECT,
  type KubeObject,
} from '@crate/api';
import { toStatus, unavailable } from '@crate/errors';
import { ResourceRouter, type CallContext, type KindInfo, type ResourceApi, type Route } from '@crate/resource-client';
import { kindInfoOf, type AdmissionRequest } from '@crate/resource-server';
import { aMeta } from '../testing/a-cluster.js';
import { projectAdmission } from './project.admission.js';
import { RoutedProjectContents } from './routed-project-contents.js';

const CONTEXT: CallContext = {
  caller: { user: 'system:lifecycle', groups: [], service: 'lifecycle' },
  traceId: 'trace',
};

/** Everything that exists, by kind; an error when its owner does not answer. */
class FakeRouter extends ResourceRouter {
  readonly held = new Map<string, readonly string[] | Error>();
  known = [CLUSTER, CLOUD_ACCOUNT, KUBERNETES_CLUSTER, PROJECT, POLICY, POLICY_WAIVER];
  readonly asked: string[] = [];

  override kinds(): readonly KindInfo[] {
    return this.known.map((definition) => kindInfoOf(definition));
  }

  override find(group: string, version: string, plural: string): Route | undefined {
    const kind = this.kinds().find(
      (each) => each.group === group && each.version === version && each.plural === plural,
    );
    const list: ResourceApi['list'] = (_type, { namespace, limit }) => {
      this.asked.push(plural);
      const names = this.held.get(plural) ?? [];
      if (names instanceof Error) return Promise.reject(names);
      const items = names.slice(0, limit).map((name) => ({ metadata: { ...aMeta(name), namespace } }) as KubeObject);
      return Promise.resolve({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '1' }, items });
    };
    return kind && { kind, api: { list } as ResourceApi };
  }
}

let router: FakeRouter;
let admit: (operation: AdmissionRequest['operation'], metadata?: Partial<KubeObject['metadata']>) => Promise<unknown>;
beforeEach(() => {
  router = new FakeRouter();
  const hook = projectAdmission(new RoutedProjectContents(router, CONTEXT));
  const object = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: aMeta('team-a') };
  admit = (operation, metadata) => {
    const judged = { ...object, metadata: { ...object.metadata, ...metadata } };
    return hook({ operation, object: judged, context: CONTEXT, dryRun: false });
  };
});

describe('a Project', () => {
  it('is not made with the name that events about the platform are kept under; one that has it stays as it is', async () => {
    await expect(admit('CREATE', { name: 'default' })).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [{ reason: 'FieldValueForbidden', field: 'metadata.name' }] },
    });
    expect(await admit('UPDATE', { name: 'default' })).toBeUndefined();
    expect(await admit('CREATE', { name: 'default-2' })).toBeUndefined();
  });

  it('can be deleted when nothing is in it, at any owner; kinds without namespaces are not asked for', async () => {
    // What is stored in the same database may come while the others are asked.
    expect(await admit('DELETE')).toMatchObject({ guards: [{ kind: 'Cluster' }, { kind: 'Plan' }] });
    expect(router.asked).toEqual(['clusters', 'cloudaccounts', 'kubernetesclusters', 'policywaivers']);
  });

  it('can be created and changed whatever is in it', async () => {
    router.held.set('clusters', ['demo']);
    await admit('CREATE');
    await admit('UPDATE');
    expect(router.asked).toEqual([]);
  });

  it('is not let go by its last finalizer while anything is in it, and is by others', async () => {
    const deletionTimestamp = '2026-01-31T12:00:00Z';
    router.held.set('clusters', ['demo']);
    await admit('UPDATE', { deletionTimestamp, finalizers: ['a.b/c'] });
    await expect(admit('UPDATE', { deletionTimestamp })).rejects.toMatchObject({
      code: 'Conflict',
      message: 'Project "team-a" still holds cluster/demo; delete them first',
      details: { reason: 'ProjectNotEmpty' },
    });
    router.held.clear();
    expect(await admit('UPDATE', { deletionTimestamp })).toMatchObject({
      guards: [{ kind: 'Cluster' }, { kind: 'Plan' }],
    });
  });

  it('cannot be deleted while anything is in it, and says what (409)', async () => {
    router.held.set('clusters', ['demo', 'test']).set('cloudaccounts', ['sandbox']);
    const given = admit('DELETE');

    await expect(given).rejects.toMatchObject({
      code: 'Conflict',
      retry: 'never',
      message: 'Project "team-a" still holds cluster/demo, cluster/test, cloudaccount/sandbox; delete them first',
      details: { reason: 'ProjectNotEmpty' },
    });
    const status = await given.catch((error: unknown) => toStatus(error));
    expect(status).toMatchObject({ code: 409 });
    expect((status as ReturnType<typeof toStatus>).details?.causes).toHaveLength(3);
  });

  it('names a few when there are many', async () => {
    router.held
      .set(
        'clusters',
        Array.from({ length: 100 }, (_, index) => `c${index}`),
      )
      .set('cloudaccounts', ['a']);
    const error = await admit('DELETE').catch((thrown: unknown) => thrown);
    expect(toStatus(error).details?.causes).toHaveLength(20);
    expect(router.asked).toEqual(['clusters']);
  });

  it('cannot be deleted while an owner does not answer', async () => {
    router.held.set('cloudaccounts', unavailable('cloud-mgmt is away'));
    await expect(admit('DELETE')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('cannot be deleted while an owner was never heard of', async () => {
    router.known = [CLUSTER, KUBERNETES_CLUSTER, PROJECT] as typeof router.known;
    await expect(admit('DELETE')).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'Nobody answers for cloud.crate.dev, policy.crate.dev, try again',
    });
  });

  it('leaves no waiver behind for the next one of its name', async () => {
    router.held.set('policywaivers', ['load-tests']);
    await expect(admit('DELETE')).rejects.toMatchObject({
      code: 'Conflict',
      message: 'Project "team-a" still holds policywaiver/load-tests; delete them first',
    });
  });
});
