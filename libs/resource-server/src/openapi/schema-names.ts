import type { JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Names of the schemas that all kinds share, as clients know them. */
export const SHARED = {
  objectMeta: `${META}.ObjectMeta`,
  ownerReference: `${META}.OwnerReference`,
  managedFields: `${META}.ManagedFieldsEntry`,
  listMeta: `${META}.ListMeta`,
  deleteOptions: `${META}.DeleteOptions`,
  status: `${META}.Status`,
  patch: `${META}.Patch`,
  table: `${META}.Table`,
  watchEvent: `${META}.WatchEvent`,
  partialObject: `${META}.PartialObjectMetadata`,
  partialList: `${META}.PartialObjectMetadataList`,
  scale: 'io.k8s.api.autoscaling.v1.Scale',
} as const;

/** The name of a kind's schema: its reversed group, version and kind, such as `dev.crate.lifecycle.v1alpha1.Cluster`. */
export function schemaName({ group, version, kind }: Pick<KindInfo, 'group' | 'version' | 'kind'>): string {
  const reversed = group === '' ? 'core' : group.split('.').reverse().join('.');
  return `${reversed}.${version}.${kind}`;
}

/** A reference to a schema of the same document. */
export function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
