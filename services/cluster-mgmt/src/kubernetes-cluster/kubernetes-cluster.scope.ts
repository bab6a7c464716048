import {
  EXISTING,
  type AbandonedResource,
  type ConditionFact,
  type KubernetesCluster,
  type KubernetesClusterStatus,
  type PolicyReviewResponse,
  type Progress,
} from '@crate/api';
import type { TargetNode } from '@crate/kubernetes';
import type { FoundBlocker, WorkStage } from '@crate/reconcile';
import type { EngineState } from '../engine/cluster-engine.js';

/** What a look at the cluster's own API found. */
export type Contact =
  | { readonly kind: 'up'; readonly version: string; readonly nodes: readonly TargetNode[] }
  | {
      readonly kind: 'silent';
      readonly reason: string;
      readonly message: string;
      /** Silent for so long that nothing can be said about the cluster any more. */
      readonly isBeyondGrace: boolean;
    };

/** What one pass knows of a cluster. Fields are undefined until the phase that sets them has run. */
export interface KubernetesClusterScope {
  /** As read at the start of the pass. */
  readonly cluster: KubernetesCluster;
  /** Set by the engine phase, `work` once policy lets the engine run; of a deletion, once that is not held. */
  stage: WorkStage;
  /** How far the work has come, for a bar. Set by every phase that may wait. */
  progress?: Progress;
  /** Set by the SSH key phase. */
  sshPublicKey?: string;
  /** Set by the engine phase. */
  engine?: EngineState;
  /** The engine has brought the machines to just this spec. Set by the engine phase. */
  isApplied: boolean;
  /** Verdict on the configuration that the engine is to be run with. Set by the engine phase. */
  review?: PolicyReviewResponse;
  /** Verdict on the one it was run with, where there is anything new to say. Set by the engine phase. */
  compliance?: ConditionFact;
  /** Set by the observe phase. */
  contact?: Contact;
  /** Since when the cluster is silent, as far as anybody looked: what was seen before this pass, then what its phases see. */
  silentSince: string | undefined;
  /** What a deletion waits for. Set by tear-down phases. */
  blockers: readonly FoundBlocker[];
  /** What the cluster did not take away in time. Set by the drain phase, once it has looked. */
  leftToTheCloud?: NonNullable<KubernetesClusterStatus['leftToTheCloud']>;
  /** What a forced deletion leaves behind. Set by the drain phase. */
  abandoned?: readonly AbandonedResource[];
  /** Volumes at the provider that are kept. Set by the drain phase. */
  keptVolumes?: readonly string[];
  /** Publishes status in the middle of a phase, for work that takes minutes. Never throws. */
  readonly report: (scope: KubernetesClusterScope) => void;
}

export function openScope(
  cluster: KubernetesCluster,
  report: KubernetesClusterScope['report'] = () => undefined,
): KubernetesClusterScope {
  return { cluster, stage: 'check', isApplied: false, blockers: [], silentSince: cluster.status?.silentSince, report };
}

/** True when others have made the cluster, and keep its nodes and its version. */
export function isExistingCluster({ spec }: Pick<KubernetesCluster, 'spec'>): boolean {
  return spec.engine === EXISTING;
}

/** The key of the object in the work queue. */
export function keyOf({ cluster }: KubernetesClusterScope): { readonly namespace: string; readonly name: string } {
  return { namespace: cluster.metadata.namespace ?? '', name: cluster.metadata.name };
}
