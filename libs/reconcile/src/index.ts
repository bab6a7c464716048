export { Backoff } from './backoff.js';
export {
  becameBlocked,
  blockedForMs,
  blockersText,
  datedBlockers,
  deletingFact,
  DELETION_BLOCKED,
  deletionEvents,
  deletionStatusOf,
  failureBlocker,
  recordDeletion,
  type Deletable,
  type DeletionFindings,
  type FoundBlocker,
  type StatusContext,
} from './deletion-status.js';
export { DeletionWatch, type ChangeNews, type RunningDeletionWatch } from './deletion-watch.js';
export { EventRecorder, InMemoryEventRecorder, SilentEventRecorder, type EventDraft } from './event-recorder.js';
export {
  failedFact,
  failureInRetry,
  type FailedObject,
  type ShownFailure,
  type WorkStage,
} from './failure-in-retry.js';
export { failureCause, failureOf, withTrace, type FailureCause, type FailureContext } from './failure.js';
export { ensureFinalizer, hasFinalizer, isStillThere, removeFinalizer, type FinalizerClient } from './finalizers.js';
export { type FindingClient } from './finding-client.js';
export { InMemoryWorkQueue } from './in-memory-work-queue.js';
export {
  gone,
  inLine,
  runPhases,
  settled,
  waiting,
  type Outcome,
  type Pass,
  type Phase,
  type ReconcileContext,
} from './outcome.js';
export { placeInLine } from './place-in-line.js';
export { ReconcileEngine } from './reconcile-engine.js';
export { Reconciler, type ReconcileKey, type ReconcilerOptions } from './reconciler.js';
export { isInterruption, isNoNews } from './running-pass.js';
export { saveStatusIfChanged, type StatusClient } from './save-status.js';
export { Scheduler } from './scheduler.js';
export { someAtATime } from './some-at-a-time.js';
export { failureEvent, nameSome, recordPass, type ConditionTellings, type ToldPass } from './status-events.js';
export { StatusRecorder, type RecorderClient } from './status-recorder.js';
export { TRACE_LASTS_MS, WorkQueue, type WorkClaim, type WorkLease, type WorkResult } from './work-queue.js';
export { workQueueContract, type WorkQueueFixture } from './work-queue.contract.js';
