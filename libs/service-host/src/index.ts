export { heldByRecovery, RECOVERING, RecoveryHold, type DatedObject } from './recovery/recovery-hold.js';
export { RecoveryState, type LastSetBack, type OpenRecovery } from './recovery/recovery-state.js';
export { followForeignKind, type ForeignChange, type ForeignWatchOptions } from './foreign-watch.js';
export { type Foundation } from './foundation.js';
export { hostConfig, type HostConfig } from './host-config.js';
export { FOUNDATION } from './host.module.js';
export { runService, type RunServiceOptions } from './run-service.js';
export { serviceContext, ServiceClients } from './service-clients.js';
export { ServiceHost, type ServiceHostOptions } from './service-host.js';
export {
  CONFIG,
  SERVICE_PARTS,
  type ReconcilerWatch,
  type RegisteredReconciler,
  type ServiceParts,
} from './service-parts.js';
export { observeDamagedStates } from './state-versions/damaged-states.js';
export { parsedBody } from './state-versions/parsed-body.js';
export { stateConflict } from './state-versions/state-conflict.js';
export { StateVersionApi, type StateRestored } from './state-versions/state-version.api.js';
export { factsAs } from './state-versions/state-version.view.js';
export { type RestoreEdit, type StateComparison, type VersionedStates } from './state-versions/versioned-states.js';
