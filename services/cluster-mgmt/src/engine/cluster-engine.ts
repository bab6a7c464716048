import type { Progress } from '@crate/api';
import type { EngineConfig } from './engine-config.js';

/** One piece of work for an engine. */
export interface EngineTask {
  readonly clusterUid: string;
  readonly config: EngineConfig;
  /** URL that clients reach the cluster's API by; absent: as the engine writes it. */
  readonly server?: string;
  /**
   * Addresses of workers that nobody hears from, or that have no Docker. Once no first boot can be the reason they keep no other from what
   * it is to get. Default: none.
   */
  readonly silentWorkers?: readonly string[];
  /** Nodes are drained for what changes, such as their version. Default: they are not. */
  readonly drains?: boolean;
  /** Of the spec that the configuration was made from. */
  readonly generation?: number;
  /** Fencing token of the pass: runs and state of an older one are refused. */
  readonly epoch: bigint;
  /** Asks the run to stop, gracefully. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Where a cluster stands with its engine. */
export interface EngineState {
  /** Serial of the newest stored engine state; undefined before the first run got that far. */
  readonly stateSerial: number | undefined;
  /** Hash of the configuration that was last applied in full; undefined when there is none. */
  readonly appliedHash: string | undefined;
  /** Generation of the spec that was last applied in full, where the run knew it. */
  readonly appliedGeneration: number | undefined;
  /** Whether any run was ever started, so that machines may carry something. */
  readonly wasStarted: boolean;
  /** Whether a run ever got as far as installing something on a machine. */
  readonly hasReachedMachines: boolean;
  /** Whether the newest run took Kubernetes off the machines. */
  readonly isRemoved: boolean;
  /** Taking it off the machines has begun, whatever came of it. */
  readonly isRemoving: boolean;
  /** Nodes may be of two versions: a run drained them, and neither it nor one after it succeeded. */
  readonly isBetweenVersions: boolean;
}

/**
 * Turns machines into a Kubernetes cluster, changes and removes it. State, kubeconfig and log of every run are kept.
 * Blocks for minutes. Throws the errors of `engineFailure`, Conflict when a newer pass has taken over.
 */
export abstract class ClusterEngine {
  /** No side effects. */
  abstract observe(clusterUid: string): Promise<EngineState>;
  /** The configuration that was last applied in full; undefined when there is none, or its run kept none. No side effects. */
  abstract appliedConfig(clusterUid: string): Promise<EngineConfig | undefined>;
  /**
   * Makes sure that the stored state is the one that was stored last; there may be none. Throws the failures `StateTampered`,
   * `StateRolledBack` and `StateForeign`. No side effects.
   */
  abstract verifyState(clusterUid: string): Promise<void>;
  /** Names of the machines that runs have made nodes: `up` takes those away that its task does not name. No side effects. */
  abstract members(clusterUid: string): Promise<readonly string[]>;
  /**
   * Makes sure that no earlier run still works on the cluster, and keeps what it left behind.
   * Must be called before `up` and `remove`. Throws Unavailable while that cannot be proved. Idempotent.
   */
  abstract settleEarlierRuns(clusterUid: string, epoch: bigint): Promise<void>;
  /** Brings the machines to the configuration. Safe to repeat from any point. */
  abstract up(task: EngineTask): Promise<void>;
  /** Takes Kubernetes off the machines. Safe to repeat from any point. */
  abstract remove(task: EngineTask): Promise<void>;
  /** Forgets every run of the cluster. Idempotent. */
  abstract forget(clusterUid: string): Promise<void>;
}
