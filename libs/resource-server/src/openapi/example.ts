import { apiVersionOf, type JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';

/** A whole object as a person writes it; undefined when the kind gives no example. */
export function exampleOf(kind: KindInfo): JsonObject | undefined {
  if (kind.example === undefined) return undefined;
  const namespace = kind.namespaced ? { namespace: 'team-a' } : {};
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: 'demo', ...namespace }, ...kind.example };
}
