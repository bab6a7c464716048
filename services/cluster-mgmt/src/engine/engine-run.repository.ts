import { randomUUID } from 'node:crypto';
import { conflict, type PlatformError } from '@crate/errors';
import type { ProcessIdentity } from '@crate/process';
import type { EngineConfig } from './engine-config.js';

/** What an engine's program is run for. */
export type EngineCommand = 'up' | 'remove';
/** `edit`: no program, but a person who put another state in place. */
export type EngineRunKind = EngineCommand | 'edit';
export type EngineRunState = 'running' | 'succeeded' | 'failed' | 'abandoned';

/** One run of an engine's program. */
export interface EngineRun {
  readonly id: string;
  readonly clusterUid: string;
  readonly kind: EngineRunKind;
  readonly state: EngineRunState;
  readonly configHash: string;
  /** Of the spec that it works towards; undefined where nobody noted it, as in releases of before. */
  readonly generation: number | undefined;
  /** Whether nodes were to be drained. */
  readonly drains: boolean;
  readonly epoch: bigint;
  /** Folder it works in, on the host that started it. */
  readonly workspace: string;
  /** Undefined until the program is about to start. */
  readonly identity: ProcessIdentity | undefined;
  readonly startedAt: Date;
  /** Its last sign of life. */
  readonly heartbeatAt: Date;
  readonly endedAt: Date | undefined;
}

type RunIdentity = Pick<EngineRun, 'id' | 'clusterUid' | 'kind' | 'configHash' | 'epoch' | 'workspace'>;

export type NewEngineRun = RunIdentity &
  Partial<Pick<EngineRun, 'generation' | 'drains'>> & {
    /** What `findConfig` gives: too long to be listed. */
    readonly config?: EngineConfig;
  };

/** Engine runs, the newest few of each cluster. */
export abstract class EngineRunRepository {
  /**
   * Throws Conflict when a pass with a newer epoch has opened a run of the cluster, and while one of an older epoch is open: the next pass
   * proves it dead. Forgets the oldest ended runs.
   */
  abstract open(run: NewEngineRun): Promise<void>;
  /** Throws Conflict when the run is not open any more. */
  abstract saveIdentity(id: string, identity: ProcessIdentity): Promise<void>;
  /** Notes a sign of life. Throws Conflict when the run is not open any more. */
  abstract heartbeat(id: string): Promise<void>;
  /** What times of runs are compared with: one clock for all hosts. */
  abstract now(): Promise<Date>;
  /**
   * Does `work`, which changes what runs begin with, while no run of the cluster can be opened, and notes it as a run of its own that did not
   * succeed. `requireDead` is asked about every open run, and throws for one that lives. `work` gets a fencing epoch above those of all
   * passes so far: what one of them might still write is refused by it, and so is the work of a process that stood still for so long that passes
   * after it have begun. What it does is not undone when it throws.
   */
  abstract edit<T>(
    clusterUid: string,
    requireDead: (open: EngineRun) => Promise<void>,
    work: (epoch: bigint) => Promise<T>,
  ): Promise<T>;
  /** Closing a closed run changes nothing. */
  abstract close(id: string, state: Exclude<EngineRunState, 'running'>): Promise<void>;
  /** Runs of the cluster, newest first. */
  abstract list(clusterUid: string): Promise<readonly EngineRun[]>;
  /** What the run works towards; undefined when it is gone, or nobody kept that, as in releases of before. */
  abstract findConfig(id: string): Promise<EngineConfig | undefined>;
  /** Open runs of all clusters, the oldest first. For people. */
  abstract listOpen(limit: number): Promise<readonly EngineRun[]>;
  /** Folders of all open runs of all clusters. */
  abstract openWorkspaces(): Promise<readonly string[]>;
  /** Idempotent. */
  abstract removeAll(clusterUid: string): Promise<void>;
}

/** Of a pass that was overtaken, and opened it after its successor had looked for open ones. */
export function earlierIsOpen(): PlatformError {
  return conflict('An earlier run was opened meanwhile; it has to be proven dead first');
}

/** The row that tells of what a person changed. */
export function editOf(
  clusterUid: string,
  epoch: bigint,
): RunIdentity & { readonly kind: 'edit'; readonly state: 'abandoned' } {
  return { id: randomUUID(), clusterUid, kind: 'edit', state: 'abandoned', configHash: '', epoch, workspace: '' };
}
