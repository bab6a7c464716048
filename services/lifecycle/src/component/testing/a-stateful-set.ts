import type { KubeObject } from '@crate/api';
import { UPGRADE_ANNOTATION, type UpgradeRecord } from '../kubernetes/upgrade-record.js';
import type { ContainerStatus, Pod, StatefulSet } from '../kubernetes/workload.js';

const REPOSITORY = 'registry.example.com:5000/crate/crate-policy-mgmt';
const NAMESPACE = 'crate-system';
const PLACE = { namespace: NAMESPACE, resourceVersion: '7', generation: 1, creationTimestamp: '2026-11-01T00:00:00Z' };

export const NAME = 'crate-policy-mgmt';

/** Image of a version of policy-mgmt, as the chart names it. */
export function imageOfVersion(version: string): string {
  return `${REPOSITORY}:${version}`;
}

/** What an upgrade from 1.0.0 to 1.1.0 leaves behind for those who go on with it. */
export function aRecord(stage: UpgradeRecord['stage'], fromImage = imageOfVersion('1.0.0')): UpgradeRecord {
  return {
    from: { version: '1.0.0', image: fromImage },
    to: { version: '1.1.0', image: imageOfVersion('1.1.0') },
    stage,
  };
}

interface SetChanges {
  readonly image?: string;
  readonly replicas?: number;
  readonly partition?: number;
  readonly record?: UpgradeRecord;
  readonly managedFields?: KubeObject['metadata']['managedFields'];
}

/** The StatefulSet of policy-mgmt as the chart made it: two pods of 1.0.0. */
export function aStatefulSet(changes: SetChanges = {}): StatefulSet {
  const { image = imageOfVersion('1.0.0'), replicas = 2, partition, record, managedFields } = changes;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      ...{ name: NAME, uid: 'set', ...PLACE, labels: { 'app.kubernetes.io/version': '1.0.0' } },
      ...(record ? { annotations: { [UPGRADE_ANNOTATION]: JSON.stringify(record) } } : {}),
      ...(managedFields ? { managedFields } : {}),
    },
    spec: {
      replicas,
      selector: { matchLabels: { 'app.kubernetes.io/component': 'policy-mgmt' } },
      ...(partition === undefined ? {} : { updateStrategy: { rollingUpdate: { partition } } }),
      template: { spec: { containers: [{ name: 'policy-mgmt', image }] } },
    },
  };
}

/** A pod of it, ready unless it is stated otherwise. */
export function aPod(
  index: number,
  version: string,
  { isReady = true, ...container }: { readonly isReady?: boolean } & Partial<ContainerStatus> = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name: `${NAME}-${index}`, uid: `pod-${index}`, ...PLACE },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: NAME, uid: 'set', controller: true }],
    },
    spec: { containers: [{ name: 'policy-mgmt', image: imageOfVersion(version) }] },
    status: {
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ name: 'policy-mgmt', restartCount: 0, ...container }],
    },
  };
}

/** An owner of the image, as the API server keeps it. */
export function imageOwner(
  manager: string,
  changes: { readonly time?: string; readonly operation?: 'Apply' | 'Update' } = {},
): NonNullable<KubeObject['metadata']['managedFields']>[number] {
  const { time = '2026-11-20T00:00:00Z', operation = 'Update' } = changes;
  const containers = { 'k:{"name":"policy-mgmt"}': { 'f:image': {} } };
  const fieldsV1 = { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': containers } } } };
  return { manager, operation, apiVersion: 'apps/v1', time, fieldsType: 'FieldsV1', fieldsV1 };
}
