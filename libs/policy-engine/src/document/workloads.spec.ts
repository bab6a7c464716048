import { describe, expect, it } from '@jest/globals';
import { containersOf, podsOf } from './workloads.js';

const SPEC = { containers: [{ name: 'app' }] };
const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: SPEC };

describe('podsOf', () => {
  const rows: { kind: string; manifest: object; field: string }[] = [
    { kind: 'Pod', manifest: TEMPLATE, field: 'spec' },
    ...['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'Job'].map((kind) => ({
      kind,
      manifest: { spec: { template: TEMPLATE } },
      field: 'spec.template.spec',
    })),
    {
      kind: 'CronJob',
      manifest: { spec: { jobTemplate: { spec: { template: TEMPLATE } } } },
      field: 'spec.jobTemplate.spec.template.spec',
    },
    { kind: 'PodTemplate', manifest: { template: TEMPLATE }, field: 'template.spec' },
  ];

  it.each(rows)('finds the pod of a $kind', ({ kind, manifest, field }) => {
    expect(podsOf({ kind, ...manifest })).toEqual([{ field, metadata: { labels: { app: 'a' } }, spec: SPEC }]);
  });

  it('takes metadata that are missing for empty ones', () => {
    expect(podsOf({ kind: 'Job', spec: { template: { spec: SPEC } } })).toMatchObject([{ metadata: {} }]);
  });

  it.each([
    { name: 'what runs nothing', manifest: { kind: 'ConfigMap', spec: SPEC } },
    { name: 'a Deployment without a template', manifest: { kind: 'Deployment', spec: {} } },
    { name: 'a pod whose spec is no object', manifest: { kind: 'Pod', spec: [SPEC] } },
    { name: 'what is no object', manifest: null },
    { name: 'a kind that is a member of every object', manifest: { kind: 'constructor', spec: SPEC } },
  ])('finds none in $name', ({ manifest }) => {
    expect(podsOf(manifest)).toEqual([]);
  });
});

describe('containersOf', () => {
  it('finds containers of every sort, each with its place', () => {
    const spec = {
      containers: [{ name: 'a' }, { name: 'b' }],
      initContainers: [{ name: 'c' }],
      ephemeralContainers: [{ name: 'd' }],
    };

    expect(containersOf({ kind: 'DaemonSet', spec: { template: { spec } } })).toEqual([
      { field: 'spec.template.spec.containers[0]', type: 'container', container: { name: 'a' } },
      { field: 'spec.template.spec.containers[1]', type: 'container', container: { name: 'b' } },
      { field: 'spec.template.spec.initContainers[0]', type: 'init', container: { name: 'c' } },
      { field: 'spec.template.spec.ephemeralContainers[0]', type: 'ephemeral', container: { name: 'd' } },
    ]);
  });

  it('leaves out what is none, and counts it', () => {
    expect(containersOf({ kind: 'Pod', spec: { containers: ['a', null, { name: 'b' }] } })).toEqual([
      { field: 'spec.containers[2]', type: 'container', container: { name: 'b' } },
    ]);
    expect(containersOf({ kind: 'Pod', spec: { containers: { name: 'a' } } })).toEqual([]);
  });
});
