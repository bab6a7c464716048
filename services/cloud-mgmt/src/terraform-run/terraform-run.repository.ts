import { conflict, type PlatformError } from '@crate/errors';
import type { ProcessIdentity } from '@crate/process';
import type { PolicyReviewResponse } from '@crate/api';
import type { ChangeSummary, PlannedChanges } from '@crate/terraform';

/**
 * A check looks and changes nothing: it is recorded while it goes on, so that its processes can be proven dead, and leaves nothing.
 * An edit is no use of Terraform of ours: a person has put another state in place.
 */
export type TerraformRunKind = 'apply' | 'destroy' | 'check' | 'edit' | 'sweep';
export type TerraformRunState = 'running' | 'succeeded' | 'failed' | 'interrupted';
export type TerraformRunEnd = Exclude<TerraformRunState, 'running'>;

/** One use of Terraform for one Infrastructure: a plan, and its apply. */
export interface TerraformRun {
  readonly id: string;
  readonly infrastructureUid: string;
  readonly kind: TerraformRunKind;
  readonly state: TerraformRunState;
  /** Of the pass that opened it. */
  readonly epoch: bigint;
  /** Process group of the newest command; undefined until the first one is about to start. */
  readonly identity: ProcessIdentity | undefined;
  /** What the provider set up for it; undefined when that is nothing to close. */
  readonly runtimeId: string | undefined;
  /** Generation of the Infrastructure that it works towards. */
  readonly generation: number | undefined;
  /** Something may have been changed at the provider. */
  readonly hasBegun: boolean;
  /** Undefined until there is a plan. */
  readonly planSummary: ChangeSummary | undefined;
  readonly startedAt: Date;
  /** Moves every few seconds while the run lives. */
  readonly heartbeatAt: Date;
  readonly endedAt: Date | undefined;
}

export type NewTerraformRun = Pick<TerraformRun, 'id' | 'infrastructureUid' | 'kind' | 'epoch' | 'generation'>;

/** What a run has planned. */
export interface NewPlan {
  readonly summary: ChangeSummary;
  /** What the plan does in detail, for people; nothing in it may be a secret. Absent: nobody is shown it. */
  readonly changes?: PlannedChanges;
  /** Undefined where nobody was asked, or has answered. */
  readonly review?: PolicyReviewResponse | undefined;
  /** Something is about to be changed at the provider. A run that has begun once stays so. */
  readonly hasBegun: boolean;
}

/** What a run planned, for people. */
export interface StoredPlan {
  readonly run: TerraformRun;
  readonly changes: PlannedChanges;
  /** Undefined where nobody was asked, or has answered. */
  readonly review: PolicyReviewResponse | undefined;
}

/** Terraform runs, the newest few of each Infrastructure. */
export abstract class TerraformRunRepository {
  /**
   * Throws Conflict when a pass with a newer epoch has opened a run of the Infrastructure, when a run of an older epoch is open, or a person
   * holds the lock on its state (`StateLocked`). All runs but checks take that lock until they are closed. Forgets the oldest ended runs, but
   * not the newest that changed anything: it tells what is there, however many are refused after it. Gives the time since when the lock is held.
   */
  abstract open(run: NewTerraformRun): Promise<Date>;
  /** Throws Conflict when the run is not open any more: then no command may start. */
  abstract saveIdentity(id: string, identity: ProcessIdentity): Promise<void>;
  /** Throws Conflict when the run is not open any more. */
  abstract saveRuntime(id: string, runtimeId: string): Promise<void>;
  /** Throws Conflict when the run is not open any more: then nothing may be changed by the plan. */
  abstract savePlan(id: string, plan: NewPlan): Promise<void>;
  /** Stores that the run lives. Throws Conflict when the run is not open any more. */
  abstract heartbeat(id: string): Promise<void>;
  /** Closing a closed run changes nothing. A check is forgotten. */
  abstract close(id: string, state: TerraformRunEnd): Promise<void>;
  /**
   * Records that a person changed the state, as a run of this epoch that did not succeed: what there is has to be looked at, and planned for,
   * anew. A pass of an older epoch opens no run from then on.
   */
  abstract recordEdit(infrastructureUid: string, epoch: bigint): Promise<void>;
  /** The newest plan of the Infrastructure; undefined when nothing was planned yet. */
  abstract findPlan(infrastructureUid: string): Promise<StoredPlan | undefined>;
  /** Runs of the Infrastructure that change something, newest first. */
  abstract list(infrastructureUid: string): Promise<readonly TerraformRun[]>;
  /** Runs of the Infrastructure that were not closed yet, checks too. */
  abstract listOpen(infrastructureUid: string): Promise<readonly TerraformRun[]>;
  /** Runs of all Infrastructures that were not closed yet, checks too, the oldest first. For people. */
  abstract listAllOpen(limit: number): Promise<readonly TerraformRun[]>;
  /** The time that runs are dated by, for whoever asks how long ago something was: clocks of hosts differ. */
  abstract now(): Promise<Date>;
  /** Idempotent. */
  abstract removeAll(infrastructureUid: string): Promise<void>;
}

/** A run of a pass that was overtaken is open: it might still let a command go. */
export function earlierIsOpen(): PlatformError {
  return conflict('An earlier run was opened meanwhile; it has to be proven dead first');
}

/** How many runs of one Infrastructure are kept. */
export const KEPT_RUNS = 20;

/** How many of the newest runs, given newest first, failed without a success in between. */
export function failuresInARow(runs: readonly TerraformRun[]): number {
  const ended = runs.filter(({ state }) => state !== 'running');
  const firstOther = ended.findIndex(({ state }) => state !== 'failed');
  return firstOther < 0 ? ended.length : firstOther;
}
