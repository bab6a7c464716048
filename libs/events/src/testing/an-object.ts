import type { KubeObject } from '@crate/api';

/** Something that events are told about. */
export function anObject(name: string, labels: Record<string, string> = {}): KubeObject {
  const metadata = {
    name,
    namespace: 'team-a',
    uid: `uid-${name}`,
    resourceVersion: '7',
    generation: 1,
    creationTimestamp: '2026-11-21T10:00:00Z',
    labels,
  };
  return { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'Infrastructure', metadata };
}
