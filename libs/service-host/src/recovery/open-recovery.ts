import { Database } from '@crate/database';
import type { Logger, Metrics } from '@crate/telemetry';
import type { HostConfig } from '../host-config.js';
import type { Teardown } from '../teardown.js';
import { MemoryMarker } from './memory-marker.js';
import { observeRecovery } from './recovery-metrics.js';
import { RecoveryState } from './recovery-state.js';
import { RestoreGuard } from './restore-guard.js';

export interface OpenRecoveryOptions {
  readonly config: HostConfig;
  readonly database: Database;
  /** Of the resources; that of the events stands beside it. */
  readonly schema: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Aborted once the process ends anyway. */
  readonly signal: AbortSignal;
  readonly teardown: Teardown;
}

/** Looks whether the database was set back, before anything is served, and goes on watching. */
export async function openRecovery(options: OpenRecoveryOptions): Promise<RecoveryState> {
  const { config, database, schema, logger, metrics, signal, teardown } = options;
  const recovery = new RecoveryState(database);
  observeRecovery(metrics, recovery);
  const { markerFile, noteMs: everyMs } = config.recovery;
  if (markerFile === undefined) return recovery;

  const eventsSchema = `${schema}_events`;
  const events = new Database({
    url: config.database.url,
    schema: eventsSchema,
    applicationName: 'recovery',
    maxConnections: 1,
  });
  teardown.add(() => events.close());
  const guard = new RestoreGuard({
    marker: new MemoryMarker(markerFile),
    main: database,
    schemas: { [schema]: database, [eventsSchema]: events },
    everyMs,
    logger,
    // Whoever looks after the process starts it again, and the start begins the recovery. Another service of the process may have asked for it.
    onSetBack: () => void (signal.aborted || process.kill(process.pid, 'SIGTERM')),
  });
  await guard.check();
  teardown.add(() => guard.stop());
  guard.start();
  return recovery;
}
