import type { CloudObject } from './cloud-journal.js';
import type { KubeObject } from './kube-object.js';

const OWNER = 'crate.dev/infrastructure-uid';

/** Whether an object of the cloud was made by controllers in the cluster on an Infrastructure, and is in no state of Terraform. */
export function isOfCluster({ status }: Pick<KubeObject, 'status'>, { tags }: Pick<CloudObject, 'tags'>): boolean {
  const cloudId = status?.['cloudId'];
  if (tags[OWNER] !== undefined || typeof cloudId !== 'string') return false;
  return tags[`kubernetes.io/cluster/${cloudId}`] === 'owned';
}
