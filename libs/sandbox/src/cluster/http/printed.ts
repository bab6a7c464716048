import type { KubeObject } from '@crate/api';
import type { Job } from '../kinds/batch.js';
import type { Node } from '../kinds/core.js';
import type { LabelSelector } from '../kinds/fields.js';
import type { Pod } from '../kinds/pod.js';
import type { BindingObject } from '../kinds/rbac.js';
import type { EndpointSlice, Service } from '../kinds/service.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../kinds/storage.js';
import type { DaemonSet, Deployment } from '../kinds/workloads.js';
import { formatSelector } from '../label-selector.js';
import { isNodeReady } from '../workloads/node-fit.js';
import { printedEndpoints, printedIngress, printedService, printedSlice } from './printed-network.js';
import { printedPod } from './printed-pod.js';
import { printedDaemonSet, printedJob, printedReplicas } from './printed-workload.js';

type Cells = Readonly<Record<string, unknown>>;
type Printer = (object: KubeObject) => Cells;

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const ROLE_LABEL = 'node-role.kubernetes.io/';

const PRINTERS: Readonly<Record<string, Printer>> = {
  Pod: (object) => printedPod(object as Pod),
  Deployment: (object) => printedReplicas(object as Deployment),
  ReplicaSet: (object) => printedReplicas(object as Deployment),
  StatefulSet: (object) => printedReplicas(object as Deployment),
  DaemonSet: (object) => printedDaemonSet(object as DaemonSet),
  Job: (object) => printedJob(object as Job, new Date()),
  CronJob: () => ({ active: 0 }),
  Service: (object) => printedService(object as Service),
  Endpoints: (object) => printedEndpoints(object),
  EndpointSlice: (object) => printedSlice(object as EndpointSlice),
  Ingress: printedIngress,
  IngressClass: () => ({ parameters: '<none>' }),
  NetworkPolicy: ({ spec }) => ({ podSelector: formatSelector((spec as { podSelector?: LabelSelector }).podSelector) }),
  PodDisruptionBudget: ({ spec }) => {
    const { minAvailable = 'N/A', maxUnavailable = 'N/A' } = spec as Cells;
    return { minAvailable, maxUnavailable };
  },
  HorizontalPodAutoscaler: ({ spec }) => {
    const { kind, name } = (spec as { scaleTargetRef: { kind: string; name: string } }).scaleTargetRef;
    return { reference: `${kind}/${name}` };
  },
  Node: (object) => printedNode(object as Node),
  ConfigMap: (object) => ({ count: countKeys(object, 'data') + countKeys(object, 'binaryData') }),
  Secret: (object) => ({ count: countKeys(object, 'data') }),
  ServiceAccount: (object) => ({ count: ((object['secrets'] ?? []) as unknown[]).length }),
  ValidatingWebhookConfiguration: (object) => ({ count: ((object['webhooks'] ?? []) as unknown[]).length }),
  MutatingWebhookConfiguration: (object) => ({ count: ((object['webhooks'] ?? []) as unknown[]).length }),
  Event: (object) => {
    const { kind = '', name = '' } = object['involvedObject'] as { kind?: string; name?: string };
    return { object: `${kind.toLowerCase()}/${name}` };
  },
  ResourceQuota: (object) => ({ request: formatQuota(object), limit: '' }),
  RoleBinding: (object) => printedBinding(object as BindingObject),
  ClusterRoleBinding: (object) => printedBinding(object as BindingObject),
  PersistentVolume: (object) => printedVolume(object as PersistentVolume),
  PersistentVolumeClaim: (object) => ({ accessModes: formatModes((object as PersistentVolumeClaim).spec.accessModes) }),
};

/** Table cells of a core kind that are worked out from several fields. Columns read them below `.printed`. */
export function printedCells(object: KubeObject): Cells {
  return PRINTERS[object.kind]?.(object) ?? {};
}

function printedNode(node: Node): Cells {
  const roles = Object.keys(node.metadata.labels ?? {})
    .filter((label) => label.startsWith(ROLE_LABEL))
    .map((label) => label.slice(ROLE_LABEL.length));
  const external = node.status?.addresses?.find(({ type }) => type === 'ExternalIP')?.address;
  const words = [isNodeReady(node) ? 'Ready' : 'NotReady', ...(node.spec.unschedulable ? ['SchedulingDisabled'] : [])];
  return { ready: words.join(','), roles: roles.sort().join(',') || '<none>', externalIP: external ?? '<none>' };
}

function printedBinding({ roleRef }: BindingObject): Cells {
  return { role: `${roleRef.kind}/${roleRef.name}` };
}

function printedVolume({ spec }: PersistentVolume): Cells {
  const { namespace, name } = spec.claimRef ?? {};
  return { accessModes: formatModes(spec.accessModes), claim: name === undefined ? '' : `${namespace ?? ''}/${name}` };
}

function formatModes(modes: readonly string[]): string {
  return modes.map((mode) => ACCESS_MODES[mode] ?? mode).join(',');
}

function formatQuota(object: KubeObject): string {
  const { hard = {} } = object['spec'] as { hard?: Cells };
  return Object.entries(hard)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');
}

function countKeys(object: KubeObject, field: string): number {
  return Object.keys(object[field] ?? {}).length;
}
