export { heldByRecovery, RECOVERING, RecoveryHold, type DatedObject } from './recovery/recovery-hold.js';
export { RecoveryState, type LastSetBack, type OpenRecovery } from './recovery/recovery-state.js';
export { followForeignKind, type ForeignChange } from './foreign-watch.js';
export { type Foundation } from './foundation.js';
export { deletionWarningAfterMs } from './deletion-config.js';
export { hostConfig, type HostConfig } from './host-config.js';
export { tracingConfig } from './tracing-config.js';
export { FOUNDATION } from './host.module.js';
export { runService, type ServiceRun } from './run-service.js';
export { serviceContext, ServiceClients } from './service-clients.js';
export { ServiceHost, type ServiceHostOptions } from './service-host.js';
export {
  CONFIG,
  SERVICE_PARTS,
  type ReconcilerHints,
  type ReconcilerWatch,
  type RegisteredReconciler,
  type ServiceParts,
} from './service-parts.js';
export { ownVersion } from './metrics/build-info.js';
export { InMemoryPublicationTurns } from './publication/in-memory-publication-turns.js';
export { PostgresPublicationTurns, type PublicationSubject } from './publication/postgres-publication-turns.js';
export { PublicationTurns, releaseOf, type PublicationClaim } from './publication/publication-turns.js';
export { observeDamagedStates } from './state-versions/damaged-states.js';
export { parsedBody } from './state-versions/parsed-body.js';
export { stateConflict } from './state-versions/state-conflict.js';
export { objectNames, type NamedObject } from './status/object-names.js';
export { type ServiceStatus, type StatusParts } from './status/service-status.js';
export { StateVersionApi, type StateRestored } from './state-versions/state-version.api.js';
export { factsAs } from './state-versions/state-version.view.js';
export { type RestoreEdit, type StateComparison, type VersionedStates } from './state-versions/versioned-states.js';
