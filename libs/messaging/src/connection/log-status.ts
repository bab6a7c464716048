import type { Logger } from '@crate/telemetry';
import { PermissionViolationError, type NatsConnection } from '@nats-io/nats-core';

/** Writes what becomes of a connection to the log until it is closed. */
export async function logStatus(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const status of connection.status()) {
    switch (status.type) {
      case 'disconnect':
        logger.warn('Disconnected from NATS', { server: status.server });
        break;
      case 'reconnect':
        logger.info('Reconnected to NATS', { server: status.server });
        break;
      case 'error':
        logError(status.error, logger);
        break;
      default:
        break;
    }
  }
}

function logError(error: Error, logger: Logger): void {
  // Never happens in normal work: somebody tries what the call matrix forbids.
  if (error instanceof PermissionViolationError) logger.error('NATS refused a subject', { error });
  else logger.warn('NATS reported an error', { error });
}
