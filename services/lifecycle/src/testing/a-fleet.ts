import type { Cluster, Condition } from '@crate/api';
import { aCluster } from './a-cluster.js';

/** When machines of clusters of a fleet were there. */
export const MACHINES_AT = '2026-01-01T00:10:00Z';

const CREATED = '2026-01-01T00:00:00Z';
const TYPES = [
  'Ready',
  'PolicyCompliant',
  'InfrastructureReady',
  'ControlPlaneReady',
  'NodesReady',
  'AddOnsReady',
  'InSync',
];

/** A condition as a change of a cluster that is ready. */
export type ChangedCondition = Partial<Condition> & Pick<Condition, 'type'>;

export interface FleetCluster {
  readonly name?: string;
  readonly project?: string;
  readonly spec?: Record<string, unknown>;
  readonly metadata?: Partial<Cluster['metadata']>;
  readonly conditions?: readonly ChangedCondition[];
  readonly status?: Partial<NonNullable<Cluster['status']>>;
}

/** A cluster that is ready as it is asked for, but for what is stated. */
export function aFleetCluster(given: FleetCluster = {}): Cluster {
  const { name = 'demo', project = 'team-a', spec, metadata, conditions = [], status } = given;
  const cluster = aCluster(spec);
  const ready = TYPES.map((type) => readyCondition(type));
  const others = conditions.filter(({ type }) => !TYPES.includes(type)).map(({ type }) => readyCondition(type));
  const all = [...ready, ...others].map((condition) => ({
    ...condition,
    ...conditions.find(({ type }) => type === condition.type),
  }));
  return {
    ...cluster,
    metadata: { ...cluster.metadata, name, namespace: project, uid: `uid-of-${project}-${name}`, ...metadata },
    status: { observedGeneration: 1, version: cluster.spec.kubernetes.version, conditions: all, ...status },
  };
}

function readyCondition(type: string): Condition {
  const isEarly = type === 'PolicyCompliant';
  const lastTransitionTime = isEarly ? CREATED : MACHINES_AT;
  return { type, status: 'True', reason: 'Ready', message: '', lastTransitionTime, observedGeneration: 1 };
}

/** The condition does not hold, since a time of the first day of the year. */
export function not(type: string, reason: string, time: string, message = `${reason}, as told`): ChangedCondition {
  return { type, status: 'False', reason, message, lastTransitionTime: at(time) };
}

/** A time of the first day of the year. */
export function at(time: string): string {
  return `2026-01-01T${time}:00Z`;
}
