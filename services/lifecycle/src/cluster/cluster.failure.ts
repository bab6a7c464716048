import type { Failure } from '@crate/api';
import type { ClusterScope } from './cluster.scope.js';

/** The failure of the first child that reports one, in the order of the journey. */
export function childFailure(scope: ClusterScope): Failure | undefined {
  const children = [scope.infrastructure, scope.kubernetes, ...(scope.installations ?? [])];
  return children.map((child) => child?.status?.failure).find((failure) => failure !== undefined);
}
