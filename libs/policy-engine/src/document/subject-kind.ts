import type { GroupVersionKind, PolicyReviewRequest } from '@crate/api';

/** What kind a document is of: what its request says, what it says itself, or what its stage is about. */
export function kindOf({ stage, subject, document }: PolicyReviewRequest): GroupVersionKind {
  return subject.kind ?? stated(document) ?? KINDS[stage];
}

const KINDS: Readonly<Record<PolicyReviewRequest['stage'], GroupVersionKind>> = {
  ClusterSpec: { group: 'lifecycle.crate.dev', version: 'v1alpha1', kind: 'Cluster' },
  TerraformPlan: { group: 'cloud.crate.dev', version: 'v1alpha1', kind: 'Infrastructure' },
  EngineConfig: { group: 'cluster.crate.dev', version: 'v1alpha1', kind: 'KubernetesCluster' },
  Manifest: { group: '', version: '', kind: '' },
};

function stated(document: unknown): GroupVersionKind | undefined {
  const { apiVersion, kind } = (document ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown };
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, kind };
}
