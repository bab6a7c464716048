import type { KubeObject } from '@crate/api';
import { notFound } from '@crate/errors';
import type { SecretStore } from '@crate/secrets';
import { SECRET_KINDS } from '../engine/secret-kinds.js';

/** Hands out the administrator's kubeconfig of a cluster, as YAML. Throws NotFound while there is none. */
export function kubeconfigReader(secrets: SecretStore): (cluster: KubeObject) => Promise<string> {
  return async (cluster) => {
    const stored = await secrets.find(cluster.metadata.uid, SECRET_KINDS.kubeconfig);
    if (!stored) throw notFound('kubeconfig', cluster.metadata.name);
    return Buffer.from(stored.plain).toString('utf8');
  };
}
