export { findExecutable } from './find-executable.js';
export { ensureProcessGroupGone, observeProcessGroup, type GroupState } from './process-group.js';
export { identifyProcess, type ProcessIdentity } from './process-identity.js';
export { createRedactor, type Redactor } from './redactor.js';
export { RunLiveness, type OpenRun, type RunEnd, type RunLivenessOptions } from './run-liveness.js';
export { runProcess, type ProcessResult } from './run-process.js';
