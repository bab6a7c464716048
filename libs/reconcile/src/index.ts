export { runPhases, settled, waiting, type Outcome, type Pass, type Phase, type ReconcileContext } from './outcome.js';
export { Reconciler, type ReconcileKey, type ReconcilerOptions } from './reconciler.js';
export { WorkQueue, type WorkLease, type WorkResult } from './work-queue.js';
