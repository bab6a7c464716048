import { forbidden, notFound } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';
import { NAMESPACE, SERVICE_ACCOUNT, type Namespace } from '../kinds/core.js';
import type { Pod } from '../kinds/pod.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { NAMESPACE_FINALIZER } from '../workloads/namespace.reconciler.js';
import { complete } from './rules.js';

const PROTECTED = ['default', 'kube-system', 'kube-public'];

/** Objects are created in namespaces that exist and are to stay. */
export function namespaceIsOpen(scope: () => ClusterScope): AdmissionHook {
  return ({ operation, object }) => {
    const { namespace } = object.metadata;
    if (operation !== 'CREATE' || namespace === undefined) return Promise.resolve();
    const found = scope().cache.find(NAMESPACE, namespace);
    if (!found) throw notFound('namespaces', namespace);
    if (found.metadata.deletionTimestamp === undefined) return Promise.resolve();
    const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(`${object.kind.toLowerCase()} "${object.metadata.name}" is forbidden: ${reason}`);
  };
}

const systemNamespaceStays: AdmissionHook = ({ operation, object }) => {
  if (operation !== 'DELETE' || !PROTECTED.includes(object.metadata.name)) return Promise.resolve();
  throw forbidden(`namespaces "${object.metadata.name}" is forbidden: this namespace may not be deleted`);
};

/** Namespaces wait for their content to go, and the system's own ones stay. */
export const namespaceHooks: readonly AdmissionHook[] = [
  systemNamespaceStays,
  complete<Namespace>((namespace) => {
    const { metadata } = namespace;
    if (metadata.deletionTimestamp !== undefined) return namespace;
    const finalizers = [...new Set([...(metadata.finalizers ?? []), NAMESPACE_FINALIZER])];
    const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
    return { ...namespace, metadata: { ...metadata, labels, finalizers }, spec: { finalizers: [NAMESPACE_FINALIZER] } };
  }),
];

/** A pod runs as a service account that exists. */
export function serviceAccountExists(scope: () => ClusterScope): AdmissionHook {
  return ({ operation, object }) => {
    const { spec, metadata } = object as Pod;
    const { namespace = '', name } = metadata;
    const account = spec.serviceAccountName ?? 'default';
    if (operation !== 'CREATE' || scope().cache.find(SERVICE_ACCOUNT, account, namespace)) return Promise.resolve();
    const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
    throw forbidden(`pods "${name}" is forbidden: ${why}`);
  };
}
