export { AuditKeeper } from './audit-keeper.js';
export {
  AuditLog,
  type AuditCondition,
  type AuditPage,
  type AuditQuery,
  type ChainState,
  type StoredAuditRow,
} from './audit-log.js';
export { auditAnswers, auditMethods, type AuditAnswers } from './audit-methods.js';
export { AuditedResourceApi } from './audited-resource-api.js';
export { subjectOf, type CallSubject } from './audited-call.js';
export { CallRecorder } from './call-recorder.js';
export { GENESIS, nextHash, type ChainLink } from './chain.js';
export { type Checkpoint, type SignedCheckpoint } from './checkpoint.js';
export type { Diff } from './field-changes.js';
export { AUDIT_MIGRATIONS } from './migrations.js';
export { PostgresAuditLog } from './postgres-audit-log.js';
export type { AuditRecord, AuditRow, FieldChange } from './record.js';
export { verifyChain, type ChainProblem, type ChainReport } from './verify-chain.js';
export { writeWitness } from './write-witness.js';
