import type { PolicyReviewRequest, PolicyStage } from '@crate/api';
import { kindOf } from '@crate/policy-engine';

/** A Cluster that documents belong to. */
export interface ClusterKey {
  /** The Project. */
  readonly namespace: string;
  readonly cluster: string;
}

/** Which document it is: there is one of each. */
export interface DocumentKey extends ClusterKey {
  readonly stage: PolicyStage;
  /** Such as `Cluster.lifecycle.crate.dev`. */
  readonly kind: string;
  /** Of a manifest with the namespace within its cluster, such as `kube-system/coredns`. */
  readonly name: string;
}

/** What is needed to judge a document again: who asked, and what there was before, is not. */
export type RememberedRequest = Pick<PolicyReviewRequest, 'stage' | 'document' | 'subject'>;

/** A document as it is stored, opened. */
export interface RememberedDocument {
  readonly key: DocumentKey;
  readonly request: RememberedRequest;
}

/** Which document a request is about. */
export function documentKeyOf(request: RememberedRequest): DocumentKey {
  const { stage, subject } = request;
  const { group, kind } = kindOf(request);
  return {
    namespace: subject.namespace,
    cluster: subject.cluster ?? subject.name,
    stage,
    kind: group === '' ? kind : `${kind}.${group}`,
    name: stage === 'Manifest' ? nameInCluster(request) : subject.name,
  };
}

/** Unambiguous: no two keys give the same text. */
export function textOf({ namespace, cluster, stage, kind, name }: DocumentKey): string {
  return JSON.stringify([namespace, cluster, stage, kind, name]);
}

/** In one order, so that two replicas lock rows in the same one. */
export function byKey(left: { readonly key: DocumentKey }, right: { readonly key: DocumentKey }): number {
  return textOf(left.key) < textOf(right.key) ? -1 : 1;
}

/** Each cluster once. */
export function clustersOf(keys: readonly ClusterKey[]): readonly ClusterKey[] {
  const found = new Map(keys.map(({ namespace, cluster }) => [`${namespace}/${cluster}`, { namespace, cluster }]));
  return [...found.values()];
}

/** Two objects of one kind and name may be in two namespaces of a cluster. */
function nameInCluster({ document, subject }: RememberedRequest): string {
  const { metadata } = (document ?? {}) as { readonly metadata?: { readonly namespace?: unknown } };
  return typeof metadata?.namespace === 'string' ? `${metadata.namespace}/${subject.name}` : subject.name;
}
