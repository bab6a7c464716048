import {
  AuditedResourceApi,
  AuditKeeper,
  auditAnswers,
  CallRecorder,
  PostgresAuditLog,
  type AuditAnswers,
} from '@crate/audit';
import type { FileKeyStore } from '@crate/auth';
import type { Database } from '@crate/database';
import type { ResourceApi } from '@crate/resource-client';
import type { KindRegistry } from '@crate/resource-server';
import type { Logger, Metrics } from '@crate/telemetry';
import type { HostConfig } from './host-config.js';
import type { Teardown } from './teardown.js';

/** A service's audit log, and those who write and read it. */
export interface AuditTrail {
  readonly recorder: CallRecorder;
  readonly answers: AuditAnswers;
  /** The API with all that is to be recorded. */
  watchOver(api: ResourceApi, kinds: KindRegistry): ResourceApi;
}

export interface AuditTrailOptions {
  readonly service: string;
  readonly config: HostConfig;
  readonly database: Database;
  readonly keys: FileKeyStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly teardown: Teardown;
}

/** Opens the audit log and looks after it until the teardown. */
export function openAuditTrail(options: AuditTrailOptions): AuditTrail {
  const { service, config, database, keys, logger, metrics, teardown } = options;
  const log = new PostgresAuditLog(database, service);
  const recorder = new CallRecorder({ service, log, logger });
  const { checkpointMs: everyMs, retentionMs } = config.audit;
  const keeper = new AuditKeeper({ service, log, keys, logger, metrics, everyMs, retentionMs });
  teardown.add(() => keeper.stop());
  keeper.start();
  return {
    recorder,
    answers: auditAnswers(log, keys),
    watchOver: (api, kinds) => new AuditedResourceApi(api, kinds, recorder),
  };
}
