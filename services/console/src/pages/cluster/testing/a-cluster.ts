import type { Cluster, Condition, PhaseProgress } from '@crate/api';

type Status = NonNullable<Cluster['status']>;

/** A cluster that is ready; tests say what is otherwise. */
export function aCluster(
  status: Partial<Status> = {},
  { spec = {}, metadata = {} }: { spec?: Partial<Cluster['spec']>; metadata?: Partial<Cluster['metadata']> } = {},
): Cluster {
  return {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: {
      name: 'demo',
      namespace: 'team-a',
      uid: 'uid-demo',
      generation: 1,
      resourceVersion: '24',
      creationTimestamp: '2026-01-31T12:00:00Z',
      ...metadata,
    },
    spec: {
      accountRef: { name: 'sandbox' },
      region: 'us-east-1',
      kubernetes: { engine: 'rke', version: 'v1.31.4' },
      network: {
        vpcCidr: '10.20.0.0/16',
        availabilityZones: 3,
        podCidr: '10.42.0.0/16',
        serviceCidr: '10.43.0.0/16',
      },
      controlPlane: { replicas: 3, machineType: 'm5.large', diskGiB: 50 },
      nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge', diskGiB: 50 }],
      addOns: [{ name: 'docs' }],
      drift: { policy: 'observe', everyMinutes: 60 },
      paused: false,
      ...spec,
    },
    status: {
      observedGeneration: 1,
      version: 'v1.31.4',
      apiEndpoint: 'https://192.0.2.1:6443',
      nodes: { ready: 5, desired: 5 },
      nodePools: [{ name: 'workers', nodes: 2, ready: 2 }],
      addOns: [{ name: 'docs', version: '1.0.0', ready: true }],
      phases: ['Policy', 'Infrastructure', 'Kubernetes', 'Add-ons'].map((name) => aPhase(name, 'Done')),
      conditions: [
        aCondition('Ready', 'True', '12:00:24'),
        aCondition('PolicyCompliant', 'True', '12:00:00'),
        aCondition('InfrastructureReady', 'True', '12:00:17'),
        aCondition('ControlPlaneReady', 'True', '12:00:22'),
        aCondition('NodesReady', 'True', '12:00:22'),
        aCondition('AddOnsReady', 'True', '12:00:24'),
      ],
      ...status,
    },
  };
}

/** A condition as it became at that time of the cluster's first day. */
export function aCondition(
  type: string,
  status: Condition['status'],
  time = '12:00:00',
  { reason = status === 'True' ? 'Ready' : 'NotReady', message = '' } = {},
): Condition {
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: `2026-01-31T${time}Z`,
    observedGeneration: 1,
  };
}

export function aPhase(
  name: string,
  state: PhaseProgress['state'],
  { step = 1, steps = 1, message = String(state) } = {},
): PhaseProgress {
  return { name, state, step, steps, message };
}
