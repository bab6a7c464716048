import { fileURLToPath } from 'node:url';
import type { AddOn, Manifest } from '@crate/api';
import { compileTemplate, memberTypesOf } from '@crate/cel';
import { loadAddOnPackages } from '@crate/kubernetes';
import { checkStructure } from '@crate/resource-server';
import { eventually } from '@crate/testing';
import { expect, it } from '@jest/globals';
import { DENIED, isReadyNow, MANAGER, NAMESPACE, PATIENCE, type DemoCluster } from './demo-cluster.js';

const ADD_ONS = fileURLToPath(new URL('../../../../deploy/add-ons', import.meta.url));

/** What lifecycle says of a cluster. */
const FACTS = {
  ...{ name: 'demo', project: 'team-a', uid: '7b0f9a86-3c1e-4f0a-9a53-0f6f8f8f5d11', provider: 'aws' },
  ...{ region: 'us-east-1', account: 'main', kubernetesVersion: 'v1.31.4', cloudId: 'demo-1723af96' },
};
const VARIABLE = { name: 'cluster', members: Object.fromEntries(Object.keys(FACTS).map((name) => [name, 'string'])) };

/** The objects of an add-on as they are installed when a cluster states no values. */
function withDefaults({ valuesSchema = {}, manifests }: AddOn['spec']): Manifest[] {
  const values = { name: 'values', members: memberTypesOf(valuesSchema) };
  const { template } = compileTemplate(manifests, values, [VARIABLE]);
  return template.render(checkStructure({}, valuesSchema).body, { cluster: FACTS }).result as Manifest[];
}

/** What holds of add-ons in a cluster that is up: leaves those that are shipped. */
export function addOns(demo: () => DemoCluster): void {
  it('installs the add-ons that are shipped, the one after the other', async () => {
    const applied: unknown[] = [];
    for (const { metadata, spec } of await loadAddOnPackages(ADD_ONS)) {
      const manifests = withDefaults(spec);
      applied.push(...manifests);
      const draft = {
        metadata: { name: `demo-${metadata.name}`, namespace: NAMESPACE },
        spec: { clusterRef: { name: 'demo' }, addOn: metadata.name, version: spec.version, manifests },
      };
      await demo().platform.installations(demo().service).ensure(draft, MANAGER);
      await eventually(async () => {
        const found = await demo().installation(draft.metadata.name);
        expect(found?.status?.failure).toBeUndefined();
        expect(found && isReadyNow(found)).toBe(true);
      }, PATIENCE);
    }
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'crate-addons', name: 'docs' };

    expect(await demo().inside((cluster) => cluster.get(deployment))).toMatchObject({
      status: { availableReplicas: 2 },
    });
    const judged = demo()
      .platform.reviews.filter(({ stage }) => stage === 'Manifest')
      .map(({ document }) => document);
    expect(judged).toEqual(expect.arrayContaining([...applied]));
  });

  it('lets nothing of an add-on in that policy denies, until policy allows it', async () => {
    const pages = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'denied', namespace: 'default' } };
    const draft = {
      metadata: { name: 'demo-denied', namespace: NAMESPACE },
      spec: { clusterRef: { name: 'demo' }, addOn: 'denied', version: '1.0.0', manifests: [pages] },
    };
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'denied', namespace: 'default' };
    demo().platform.verdict = DENIED;
    await demo().platform.installations(demo().service).ensure(draft, MANAGER);
    await eventually(async () => {
      const found = await demo().installation('demo-denied');
      expect(found?.status?.failure).toMatchObject({ code: 'PolicyDenied', field: 'spec.kubernetes.engine' });
      expect(found?.status?.failure?.message).toContain('ConfigMap default/denied');
    }, PATIENCE);
    expect(await demo().inside((cluster) => cluster.find(ref))).toBeUndefined();

    demo().platform.verdict = { allowed: true, violations: [] };
    await demo().enqueue('add-on-installation', 'demo-denied');
    await eventually(async () => expect(await demo().inside((cluster) => cluster.find(ref))).toBeDefined(), PATIENCE);
    await demo().platform.installations(demo().service).remove('demo-denied', NAMESPACE);
    await eventually(async () => {
      expect(await demo().installation('demo-denied')).toBeUndefined();
    }, PATIENCE);
    expect(await demo().inside((cluster) => cluster.find(ref))).toBeUndefined();
  });

  it('finds no drift where there is none, and puts back what somebody removed', async () => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'crate-addons', name: 'docs-pages' };
    const look = (): Promise<void> => demo().pass('add-on-installation', 'demo-docs');
    const before = await demo().inside((cluster) => cluster.get(ref));
    await look();
    expect(demo().platform.logger.lines.filter(({ message }) => message === 'Correcting drift')).toEqual([]);
    expect((await demo().inside((cluster) => cluster.get(ref))).metadata.resourceVersion).toBe(
      before.metadata.resourceVersion,
    );

    await demo().inside((cluster) => cluster.remove(ref));
    await look();
    await eventually(() => demo().inside((cluster) => cluster.get(ref)), PATIENCE);
  });

  it('installs a kind together with its first object, and takes both away', async () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'big' }, spec: { size: 3 } };
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
      },
    };
    const widgets = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const draft = {
      metadata: { name: 'demo-widgets', namespace: NAMESPACE },
      spec: { clusterRef: { name: 'demo' }, addOn: 'widgets', version: '1.0.0', manifests: [widget, widgets] },
    };
    await demo().platform.installations(demo().service).ensure(draft, MANAGER);
    await eventually(async () => {
      const found = await demo().installation('demo-widgets');
      expect(found && isReadyNow(found)).toBe(true);
    }, PATIENCE);
    const ref = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'big' };
    expect(await demo().inside((cluster) => cluster.get(ref))).toMatchObject({ spec: { size: 3 } });

    await demo().platform.installations(demo().service).remove('demo-widgets', NAMESPACE);
    await eventually(async () => {
      expect(await demo().installation('demo-widgets')).toBeUndefined();
    }, PATIENCE);
    expect(await demo().inside((cluster) => cluster.find(ref))).toBeUndefined();
  });
}
