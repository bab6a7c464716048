import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '@crate/api';
import { forbidden, invalidSpec, PlatformError } from '@crate/errors';
import { applyManifests } from './apply-manifests.js';
import { InMemoryTargetCluster } from './in-memory-target-cluster.js';

const manifests: Manifest[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'apps' }, data: { key: 'one' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password', namespace: 'apps' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
];
const options = { fieldManager: 'crate', signal: new AbortController().signal, patienceMs: 0 };

let cluster: InMemoryTargetCluster;
beforeEach(() => {
  cluster = new InMemoryTargetCluster();
});

describe('applyManifests', () => {
  it('applies namespaces first', async () => {
    await applyManifests(cluster, manifests, options);

    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply ConfigMap settings', 'apply Secret password']);
  });

  it('writes nothing the second time', async () => {
    await applyManifests(cluster, manifests, options);
    cluster.writes.length = 0;
    await applyManifests(cluster, manifests, options);

    expect(cluster.writes).toEqual([]);
  });

  it('does not go on to instances of a kind that is not established', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'w' } };

    await expect(applyManifests(cluster, [...manifests, crd], options)).rejects.toMatchObject({ code: 'Timeout' });
    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply CustomResourceDefinition w']);
  });

  it('says why a kind is not established', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'w' } };
    const names = { type: 'NamesAccepted', status: 'False', message: '"Widget" is already in use' };
    const established = { type: 'Established', status: 'False', message: 'not all names are accepted' };
    cluster.statusOnApply.set('CustomResourceDefinition', { conditions: [names, established] });

    await expect(applyManifests(cluster, [crd], options)).rejects.toMatchObject({
      code: 'Timeout',
      message: 'CustomResourceDefinition w was not established in time: "Widget" is already in use',
    });
  });

  it('goes on once it is', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'w' } };
    cluster.statusOnApply.set('CustomResourceDefinition', { conditions: [{ type: 'Established', status: 'True' }] });
    await applyManifests(cluster, [...manifests, crd], options);

    expect(cluster.writes).toHaveLength(4);
  });

  it.each([
    { name: 'invalid', refusal: invalidSpec('No such field', []) },
    { name: 'not allowed', refusal: forbidden('Quota exceeded') },
    {
      name: 'in want of a webhook',
      refusal: new PlatformError('Unavailable', 'failed calling webhook', { details: { reason: 'ClusterError' } }),
    },
  ])('applies the rest when an object is $name, then says so', async ({ refusal }) => {
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    await expect(applyManifests(cluster, manifests, options)).rejects.toMatchObject({ cause: refusal });
    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply Secret password']);
  });

  it.each(['Conflict', 'AlreadyExists'] as const)('takes a %s that comes again for a refusal', async (code) => {
    const refusal = new PlatformError(code, 'uid mismatch');
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    const first = applyManifests(cluster, manifests, options);
    await expect(first).rejects.toMatchObject({ code: 'InvalidSpec', message: 'uid mismatch', retry: 'backoff' });
    expect(cluster.writes).toEqual(['apply Namespace apps', 'apply Secret password']);
  });

  it('tries again at once where a race was lost', async () => {
    let races = 2;
    cluster.refusal = () => (races-- > 0 ? new PlatformError('Conflict', 'Operation cannot be fulfilled') : undefined);

    expect(await applyManifests(cluster, manifests, options)).toHaveLength(3);
  });

  it('has a refusal retried soon when it may come of what was applied just now, such as a CRD, and only then', async () => {
    const refusal = invalidSpec('No such field', []);
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    const first = applyManifests(cluster, manifests, options);
    await expect(first).rejects.toMatchObject({ code: 'InvalidSpec', retry: 'backoff' });
    const again = applyManifests(cluster, manifests.slice(0, 1), options);
    await expect(again).rejects.toMatchObject({ code: 'InvalidSpec', retry: 'never' });
  });

  it('waits once for a kind that is not served, and applies what comes after its objects', async () => {
    const asked: string[] = [];
    const refusal = new PlatformError('NotFound', 'Unknown kind', { details: { reason: 'KindNotServed' } });
    cluster.refusal = ({ kind, metadata }) => {
      asked.push(metadata.name);
      return kind === 'Widget' ? refusal : undefined;
    };
    const widgets = ['a', 'b'].map((name) => ({ apiVersion: 'x/v1', kind: 'Widget', metadata: { name } }));

    await expect(applyManifests(cluster, [...widgets, ...manifests], options)).rejects.toMatchObject({
      cause: refusal,
    });
    expect(asked).toEqual(['apps', 'a', 'settings', 'password']);
  });

  describe('what the API server would ask others through', () => {
    const gate = (kind: string): Manifest => {
      const group = kind === 'APIService' ? 'apiregistration.k8s.io' : 'admissionregistration.k8s.io';
      return { apiVersion: `${group}/v1`, kind, metadata: { name: 'gate' } };
    };
    const refuse = (error: PlatformError): void => {
      cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? error : undefined);
    };
    const applyBoth = (kind: string): Promise<unknown> =>
      applyManifests(cluster, [manifests[0]!, gate(kind)], options).catch((error: unknown) => error);

    it.each(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'APIService'])(
      'is not put in place while its server may be what was refused: %s',
      async (kind) => {
        refuse(forbidden('Quota exceeded'));
        expect(await applyBoth(kind)).toMatchObject({ code: 'Forbidden' });
        expect(cluster.writes).toEqual([]);

        cluster.refusal = undefined;
        await applyBoth(kind);
        expect(cluster.writes).toEqual(['apply ConfigMap settings', `apply ${kind} gate`]);
      },
    );

    it('is changed all the same where it is in place already', async () => {
      const [kind] = ['ValidatingWebhookConfiguration'];
      await applyManifests(cluster, [{ ...gate(kind), webhooks: [] }], options);
      refuse(forbidden('Quota exceeded'));
      await applyManifests(cluster, [manifests[0]!, { ...gate(kind), webhooks: ['one'] }], options).catch(
        () => undefined,
      );
      expect(cluster.writes).toEqual([`apply ${kind} gate`, `apply ${kind} gate`]);
    });

    it.each([
      { kind: 'APIService', writes: ['apply APIService gate'] },
      { kind: 'MutatingWebhookConfiguration', writes: [] },
    ])('may be what serves a kind that is not served: $kind', async ({ kind, writes }) => {
      refuse(new PlatformError('NotFound', 'Unknown kind', { details: { reason: 'KindNotServed' } }));
      await applyBoth(kind);
      expect(cluster.writes).toEqual(writes);
    });
  });

  it.each([
    { name: 'takes no more for now', code: 'TooManyRequests' },
    { name: 'takes no credentials', code: 'Unauthenticated' },
    { name: 'is given up', code: 'Timeout' },
  ] as const)('stops at once when the cluster $name', async ({ code }) => {
    const refusal = new PlatformError(code, 'No');
    cluster.refusal = ({ kind }) => (kind === 'ConfigMap' ? refusal : undefined);

    await expect(applyManifests(cluster, manifests, options)).rejects.toBe(refusal);
    expect(cluster.writes).toEqual(['apply Namespace apps']);
  });
});
