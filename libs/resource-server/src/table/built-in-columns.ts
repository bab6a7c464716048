import type { KubeObject } from '@crate/api';
import { formatAge } from './age.js';
import type { Cell, Column } from './column.js';
import { count, entries, numberAt, text, textAt, textsAt } from './reading.js';
import { nodeAddress, nodeRoles, nodeStatus } from './node-cells.js';
import { podReady, podRestarts, podStatus } from './pod-cells.js';
import { serviceExternal, servicePorts } from './service-cells.js';

type CellOf = (object: KubeObject, now: Date) => Cell;

const AGE = column('Age', (object, now) => formatAge(object.metadata.creationTimestamp, now));
const CONTAINERS = wide('Containers', (object) => text(textsAt(object, '.spec.template.spec.containers[*].name')));
const IMAGES = wide('Images', (object) => text(textsAt(object, '.spec.template.spec.containers[*].image')));
const SELECTOR = wide('Selector', (object) => pairs(object, '.spec.selector.matchLabels'));

/** What kubectl shows of Kubernetes' own kinds. Source: https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  '/Pod': [
    column('Ready', podReady),
    column('Status', podStatus),
    column('Restarts', podRestarts),
    AGE,
    wide('IP', or('.status.podIP')),
    wide('Node', or('.spec.nodeName')),
  ],
  '/Node': [
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE,
    column('Version', or('.status.nodeInfo.kubeletVersion')),
    wide('Internal-IP', nodeAddress('InternalIP')),
    wide('External-IP', nodeAddress('ExternalIP')),
    wide('OS-Image', or('.status.nodeInfo.osImage')),
    wide('Kernel-Version', or('.status.nodeInfo.kernelVersion')),
    wide('Container-Runtime', or('.status.nodeInfo.containerRuntimeVersion')),
  ],
  '/Service': [
    column('Type', or('.spec.type', 'ClusterIP')),
    column('Cluster-IP', or('.spec.clusterIP')),
    column('External-IP', serviceExternal),
    column('Port(s)', servicePorts),
    AGE,
    wide('Selector', (object) => pairs(object, '.spec.selector')),
  ],
  '/Namespace': [column('Status', or('.status.phase', 'Active')), AGE],
  '/ConfigMap': [column('Data', (object) => count(object, '.data') + count(object, '.binaryData')), AGE],
  '/Secret': [column('Type', or('.type', 'Opaque')), column('Data', (object) => count(object, '.data')), AGE],
  '/ServiceAccount': [column('Secrets', (object) => count(object, '.secrets')), AGE],
  '/Event': [
    column('Last Seen', (object, now) =>
      formatAge(textAt(object, '.lastTimestamp') || object.metadata.creationTimestamp, now),
    ),
    column('Type', or('.type')),
    column('Reason', or('.reason')),
    column(
      'Object',
      (object) => `${textAt(object, '.involvedObject.kind').toLowerCase()}/${textAt(object, '.involvedObject.name')}`,
    ),
    column('Message', or('.message')),
  ],
  'apps/Deployment': [
    column('Ready', readyOf('.spec.replicas', '.status.readyReplicas')),
    column('Up-to-date', (object) => numberAt(object, '.status.updatedReplicas')),
    column('Available', (object) => numberAt(object, '.status.availableReplicas')),
    AGE,
    ...[CONTAINERS, IMAGES, SELECTOR],
  ],
  'apps/StatefulSet': [column('Ready', readyOf('.spec.replicas', '.status.readyReplicas')), AGE, CONTAINERS, IMAGES],
  'apps/ReplicaSet': [
    column('Desired', (object) => numberAt(object, '.spec.replicas')),
    column('Current', (object) => numberAt(object, '.status.replicas')),
    column('Ready', (object) => numberAt(object, '.status.readyReplicas')),
    AGE,
    ...[CONTAINERS, IMAGES, SELECTOR],
  ],
  'apps/DaemonSet': [
    column('Desired', (object) => numberAt(object, '.status.desiredNumberScheduled')),
    column('Current', (object) => numberAt(object, '.status.currentNumberScheduled')),
    column('Ready', (object) => numberAt(object, '.status.numberReady')),
    column('Up-to-date', (object) => numberAt(object, '.status.updatedNumberScheduled')),
    column('Available', (object) => numberAt(object, '.status.numberAvailable')),
    column('Node Selector', (object) => pairs(object, '.spec.template.spec.nodeSelector')),
    AGE,
    ...[CONTAINERS, IMAGES, SELECTOR],
  ],
  'batch/Job': [column('Completions', readyOf('.spec.completions', '.status.succeeded')), AGE, CONTAINERS, IMAGES],
  'networking.k8s.io/Ingress': [
    column('Class', or('.spec.ingressClassName')),
    column('Hosts', (object) => text(textsAt(object, '.spec.rules[*].host')) || '*'),
    column('Address', (object) => text(textsAt(object, '.status.loadBalancer.ingress[*].*'))),
    AGE,
  ],
  'rbac.authorization.k8s.io/RoleBinding': [column('Role', roleOf), AGE],
  'rbac.authorization.k8s.io/ClusterRoleBinding': [column('Role', roleOf), AGE],
};

/** The columns after the name; undefined for kinds that are not Kubernetes' own, or show just their age. */
export function builtInColumns(group: string, kind: string): readonly Column[] | undefined {
  return COLUMNS[`${group}/${kind}`];
}

function column(name: string, cellOf: CellOf, priority = 0): Column {
  return { definition: { name, type: 'string', format: '', description: name, priority }, cellOf };
}

function wide(name: string, cellOf: CellOf): Column {
  return column(name, cellOf, 1);
}

function or(path: string, fallback = '<none>'): CellOf {
  return (object) => textAt(object, path) || fallback;
}

function readyOf(desired: string, ready: string): CellOf {
  return (object) => `${numberAt(object, ready)}/${numberAt(object, desired, 1)}`;
}

function roleOf(object: KubeObject): Cell {
  return `${textAt(object, '.roleRef.kind')}/${textAt(object, '.roleRef.name')}`;
}

function pairs(object: KubeObject, path: string): string {
  return text(entries(object, path).map(([key, value]) => `${key}=${String(value)}`)) || '<none>';
}
