import type { ClusterClass } from '@crate/api';
import { invalidObject, type FieldError, type FieldPath } from '@crate/resource-server';
import type { PlatformError } from '@crate/errors';

const CLUSTER = { group: 'lifecycle.crate.dev', kind: 'Cluster' };
const CLUSTER_CLASS = { group: 'lifecycle.crate.dev', kind: 'ClusterClass' };

/** The 422 for a cluster, naming every bad field. */
export function invalidCluster(name: string, errors: readonly FieldError[]): PlatformError {
  return invalidObject(CLUSTER, name, errors);
}

/** The 422 for a class, naming every bad field. */
export function invalidClass(
  { metadata }: Pick<ClusterClass, 'metadata'>,
  errors: readonly FieldError[],
): PlatformError {
  return invalidObject(CLUSTER_CLASS, metadata.name, errors);
}

/** The errors as ones of what they are a part of. */
export function below(prefix: FieldPath, errors: readonly FieldError[]): readonly FieldError[] {
  return errors.map((error) => ({ ...error, path: [...prefix, ...error.path] }));
}
