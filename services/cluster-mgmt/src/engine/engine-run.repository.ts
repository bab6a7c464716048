import type { ProcessIdentity } from '@crate/process';

export type EngineRunKind = 'up' | 'remove';
export type EngineRunState = 'running' | 'succeeded' | 'failed' | 'abandoned';

/** One run of an engine's program. */
export interface EngineRun {
  readonly id: string;
  readonly clusterUid: string;
  readonly kind: EngineRunKind;
  readonly state: EngineRunState;
  readonly configHash: string;
  readonly epoch: bigint;
  /** Folder it works in, on the host that started it. */
  readonly workspace: string;
  /** Undefined until the program is about to start. */
  readonly identity: ProcessIdentity | undefined;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
}

export type NewEngineRun = Pick<EngineRun, 'id' | 'clusterUid' | 'kind' | 'configHash' | 'epoch' | 'workspace'>;

/** Engine runs, the newest few of each cluster. */
export abstract class EngineRunRepository {
  /** Throws Conflict when a pass with a newer epoch has opened a run of the cluster. Forgets the oldest ended runs. */
  abstract open(run: NewEngineRun): Promise<void>;
  /** Throws Conflict when the run is not open any more. */
  abstract saveIdentity(id: string, identity: ProcessIdentity): Promise<void>;
  /** Closing a closed run changes nothing. */
  abstract close(id: string, state: Exclude<EngineRunState, 'running'>): Promise<void>;
  /** Runs of the cluster, newest first. */
  abstract list(clusterUid: string): Promise<readonly EngineRun[]>;
  /** Folders of all open runs of all clusters. */
  abstract openWorkspaces(): Promise<readonly string[]>;
  /** Idempotent. */
  abstract removeAll(clusterUid: string): Promise<void>;
}
