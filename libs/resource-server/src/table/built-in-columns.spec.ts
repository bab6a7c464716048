import type { KubeObject } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { builtInColumns } from './built-in-columns.js';

const NOW = new Date('2026-01-01T00:05:00Z');

function rowOf(group: string, kind: string, object: Record<string, unknown>): Record<string, unknown> {
  const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z', ...(object.metadata as object) };
  const whole = { ...object, metadata } as unknown as KubeObject;
  const columns = builtInColumns(group, kind) ?? [];
  return Object.fromEntries(columns.map(({ definition, cellOf }) => [definition.name, cellOf(whole, NOW)]));
}

describe('built-in columns', () => {
  it('show a running pod', () => {
    const status = { phase: 'Running', podIP: '10.0.0.1', containerStatuses: [{ ready: true, restartCount: 2 }] };
    const pod = { spec: { containers: [{}, {}], nodeName: 'n' }, status };
    expect(rowOf('', 'Pod', pod)).toEqual({
      ...{ Ready: '1/2', Status: 'Running', Restarts: 2, Age: '5m', IP: '10.0.0.1', Node: 'n' },
    });
  });

  it.each([
    { name: 'a pod nobody has looked at', pod: {}, want: 'Pending' },
    { name: 'a pod being deleted', pod: { metadata: { deletionTimestamp: 'now' } }, want: 'Terminating' },
    {
      name: 'a container that cannot start',
      pod: {
        status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
      },
      want: 'ImagePullBackOff',
    },
    {
      name: 'a container that has ended',
      pod: { status: { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }] } },
      want: 'Completed',
    },
  ])('tell the status of $name', ({ pod, want }) => {
    expect(rowOf('', 'Pod', pod).Status).toBe(want);
  });

  it('show a node', () => {
    const node = {
      metadata: { labels: { 'node-role.kubernetes.io/etcd': '', 'node-role.kubernetes.io/control-plane': '' } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1.31.4' },
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      },
    };
    expect(rowOf('', 'Node', node)).toMatchObject({
      Status: 'Ready,SchedulingDisabled',
      Roles: 'control-plane,etcd',
      Version: 'v1.31.4',
      'Internal-IP': '10.0.0.1',
      'External-IP': '<none>',
    });
    expect(rowOf('', 'Node', {})).toMatchObject({ Status: 'Unknown', Roles: '<none>' });
  });

  it('show a deployment', () => {
    const template = {
      spec: {
        containers: [
          { name: 'a', image: 'x:1' },
          { name: 'b', image: 'y:1' },
        ],
      },
    };
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
    const status = { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 2 };
    expect(rowOf('apps', 'Deployment', { spec, status })).toEqual({
      ...{ Ready: '2/3', 'Up-to-date': 3, Available: 2, Age: '5m' },
      ...{ Containers: 'a,b', Images: 'x:1,y:1', Selector: 'app=web' },
    });
  });

  it('show services', () => {
    const ports = [
      { port: 80, nodePort: 30080 },
      { port: 53, protocol: 'UDP' },
    ];
    expect(rowOf('', 'Service', { spec: { clusterIP: '10.43.0.1', ports } })).toMatchObject({
      ...{ Type: 'ClusterIP', 'Cluster-IP': '10.43.0.1', 'External-IP': '<none>', 'Port(s)': '80:30080/TCP,53/UDP' },
    });
    const balanced = { spec: { type: 'LoadBalancer' } };
    expect(rowOf('', 'Service', balanced)['External-IP']).toBe('<pending>');
    const status = { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }] } };
    expect(rowOf('', 'Service', { ...balanced, status })['External-IP']).toBe('lb.example.com');
  });

  it.each([
    { group: '', kind: 'Namespace', object: {}, want: { Status: 'Active' } },
    { group: '', kind: 'ConfigMap', object: { data: { a: '', b: '' }, binaryData: { c: '' } }, want: { Data: 3 } },
    { group: '', kind: 'Secret', object: { type: 'x/y', data: { a: '' } }, want: { Type: 'x/y', Data: 1 } },
    { group: '', kind: 'ServiceAccount', object: {}, want: { Secrets: 0 } },
    { group: 'batch', kind: 'Job', object: { status: { succeeded: 1 } }, want: { Completions: '1/1' } },
    { group: 'apps', kind: 'StatefulSet', object: { spec: { replicas: 2 } }, want: { Ready: '0/2' } },
    { group: 'apps', kind: 'DaemonSet', object: { status: { numberReady: 2 } }, want: { Ready: 2 } },
    {
      group: 'rbac.authorization.k8s.io',
      kind: 'RoleBinding',
      object: { roleRef: { kind: 'Role', name: 'r' } },
      want: { Role: 'Role/r' },
    },
  ])('show a $kind', ({ group, kind, object, want }) => {
    expect(rowOf(group, kind, object)).toMatchObject(want);
  });

  it('are not for kinds of other groups', () => {
    expect(builtInColumns('example.com', 'Pod')).toBeUndefined();
  });
});
