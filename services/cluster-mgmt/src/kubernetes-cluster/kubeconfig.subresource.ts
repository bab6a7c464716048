import { KUBERNETES_CLUSTER, type KubeObject, type KubernetesCluster } from '@crate/api';
import { issueClientCertificate, type CertificatePair } from '@crate/auth';
import { PlatformError } from '@crate/errors';
import { formatKubeconfig, kubeconfigForUser, parseKubeconfig } from '@crate/kubernetes';
import type { SubresourceReader } from '@crate/resource-server';
import type { SecretStore } from '@crate/secrets';
import { stateConflict } from '@crate/service-host';
import { refuseDamaged } from '../engine-state/engine-state-damage.js';
import { authorityOf, parseRkeState, readCertificate } from '../engine-state/rke-state.js';
import { SECRET_KINDS } from '../engine/secret-kinds.js';
import { CLUSTER_ADMINS, type AdminBinding } from './admin-binding.js';
import { kubeconfigEnd } from './kubeconfig-end.js';
import { isExistingCluster } from './kubernetes-cluster.scope.js';

const ASK_AGAIN_MS = 15_000;
/** For machines whose clocks are behind, as Kubernetes' own signer does. */
const BACKDATED_MS = 5 * 60_000;

export interface KubeconfigParts {
  readonly secrets: SecretStore;
  readonly admins: Pick<AdminBinding, 'keep'>;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/**
 * Hands out a kubeconfig of a cluster for who asks, as YAML: with a certificate and a key that are made for this answer and kept nowhere. The
 * administrator's own, which the engine made, stays with Crate. Throws BadRequest for an `expirationSeconds` that is none, and Conflict:
 * `KubeconfigNotReady` while there is none, `ManagedOutside` of an existing cluster, `AuthorityUnknown` where nothing can be signed, `AdminsRefused`
 * where it would be good for nothing, or what the stored state of the engine is refused with.
 */
export function kubeconfigReader({ secrets, admins, now = () => new Date() }: KubeconfigParts): SubresourceReader {
  return async (cluster, _ref, { caller, signal }, query = {}) => {
    if (isExistingCluster(cluster as KubernetesCluster)) throw managedOutside(cluster);
    const { uid } = cluster.metadata;
    const stored = await secrets.find(uid, SECRET_KINDS.kubeconfig);
    if (!stored) throw notReady(cluster);
    const { authority, end } = await findAuthority(secrets, cluster);
    const at = now();
    const notAfter = kubeconfigEnd(query, at, end);
    const notBefore = new Date(at.getTime() - BACKDATED_MS);
    const subject = { commonName: caller.user, organization: CLUSTER_ADMINS, notBefore, notAfter };
    const { certificate: cert, key } = await issueClientCertificate(authority, subject);
    const refusal = await admins.keep(uid, signal);
    if (refusal) throw adminsRefused(cluster, refusal);
    const administrators = parseKubeconfig(Buffer.from(stored.plain).toString('utf8'));
    return formatKubeconfig(kubeconfigForUser(administrators, { cert, key }));
  };
}

async function findAuthority(
  secrets: SecretStore,
  cluster: KubeObject,
): Promise<{ readonly authority: CertificatePair; readonly end: Date }> {
  const stored = await secrets.find(cluster.metadata.uid, SECRET_KINDS.engineState).catch(refuseDamaged);
  const state = stored && parseRkeState(stored.plain);
  const found = state && authorityOf(state);
  const certificate = found && readCertificate(found);
  if (!certificate || found.keyPEM === '') throw authorityUnknown(cluster);
  return { authority: { certificate: found.certificatePEM, key: found.keyPEM }, end: certificate.validToDate };
}

function authorityUnknown({ metadata: { name } }: KubeObject): PlatformError {
  const text = `The authority of cluster "${name}" is not in the state of its engine: no kubeconfig can be signed`;
  const remedy = 'Restore a version of the state that has it';
  return stateConflict('AuthorityUnknown', text, { remedy, retry: 'never' });
}

/** By a webhook or a policy, most likely: one that does not answer is no refusal. */
function adminsRefused({ metadata: { name } }: KubeObject, cause: PlatformError): PlatformError {
  const text = `Cluster "${name}" does not let the holders of kubeconfigs in: ${cause.message}`;
  const remedy = `Have its webhooks and policies let the ClusterRoleBinding ${CLUSTER_ADMINS} pass, then ask again`;
  return stateConflict('AdminsRefused', text, { remedy, cause, retry: 'slow' });
}

/** There the way in is that of the pod itself, which is nobody else's. */
function managedOutside({ metadata: { name } }: KubeObject): PlatformError {
  const text = `Cluster "${name}" was there before Crate, which hands out no way in`;
  const details = { group: KUBERNETES_CLUSTER.group, kind: KUBERNETES_CLUSTER.plural, name, reason: 'ManagedOutside' };
  return new PlatformError('Conflict', text, { retry: 'never', details });
}

/** Not a failure of the service: the cluster is not that far, or on its way out. */
function notReady({ metadata }: KubeObject): PlatformError {
  const { name, deletionTimestamp } = metadata;
  const why = deletionTimestamp === undefined ? 'Kubernetes is not up yet' : 'the cluster is being deleted';
  return new PlatformError('Conflict', `There is no kubeconfig of cluster "${name}": ${why}`, {
    retry: deletionTimestamp === undefined ? 'backoff' : 'never',
    details: {
      group: KUBERNETES_CLUSTER.group,
      kind: KUBERNETES_CLUSTER.plural,
      name,
      reason: 'KubeconfigNotReady',
      ...(deletionTimestamp === undefined ? { retryAfterMs: ASK_AGAIN_MS } : {}),
    },
  });
}
