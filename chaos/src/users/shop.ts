import { SHOP as MANIFESTS, type ShopManifest } from '@crate/testing';
import type { ApiRequest } from '../platform/api-client.js';

const APPLY = { method: 'PATCH', contentType: 'application/apply-patch+yaml' } as const;
/** What paths call its kinds. */
const PLURALS: Readonly<Record<string, string>> = {
  DaemonSet: 'daemonsets',
  Deployment: 'deployments',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  Service: 'services',
  StorageClass: 'storageclasses',
};

export const SERVICE = '/api/v1/namespaces/default/services/web';
export const CLAIM = '/api/v1/namespaces/default/persistentvolumeclaims/data';

/** The requests that open the shop. */
export const SHOP: readonly ApiRequest[] = MANIFESTS.map((body) => ({
  ...APPLY,
  path: `${pathOf(body)}?fieldManager=chaos&force=true`,
  body,
}));

function pathOf({ apiVersion, kind, metadata: { name, namespace } }: ShopManifest): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${group}${place}/${PLURALS[kind]}/${name}`;
}
