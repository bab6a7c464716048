import type { Database } from '@crate/database';
import { FileKeyProvider, keyUses } from '@crate/secrets';
import type { Logger, Metrics } from '@crate/telemetry';
import type { HostConfig } from './host-config.js';

export interface OpenKeysOptions {
  readonly config: Pick<HostConfig, 'encryption'>;
  /** Whose records stand under the keys. */
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The key-encryption keys of a service. Throws as `FileKeyProvider.ensure` does. */
export async function openKeys({ config, database, logger, metrics }: OpenKeysOptions): Promise<FileKeyProvider> {
  const { keysDir, settleMs } = config.encryption;
  const failures = metrics.counter({
    name: 'crate_encryption_key_read_failures_total',
    help: 'Times that the key-encryption keys could not be read again; those that are known stay in use',
  });
  return FileKeyProvider.ensure(keysDir, {
    settleMs,
    keysInUse: () => keysInUse(database),
    onReadFailure: (error) => {
      failures.add();
      logger.error('Failing to read the encryption keys again: those that are known stay in use', { error, keysDir });
    },
  });
}

async function keysInUse(database: Database): Promise<readonly string[]> {
  const uses = await keyUses(async (statement) => ({ rows: await database.rowsOnce(statement) }));
  return uses.map(({ keyId }) => keyId);
}
