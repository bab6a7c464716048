import type { Database } from '@crate/database';
import { FileKeyProvider, keyUses } from '@crate/secrets';
import type { Logger, Metrics } from '@crate/telemetry';
import type { HostConfig } from './host-config.js';

export interface OpenKeysOptions {
  readonly config: Pick<HostConfig, 'encryption'>;
  /** Whose records stand under the keys. */
  readonly database: Database;
  readonly sealedTables?: readonly string[] | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The key-encryption keys of a service. Throws as `FileKeyProvider.ensure` does. */
export async function openKeys(options: OpenKeysOptions): Promise<FileKeyProvider> {
  const { config, logger, metrics } = options;
  const { keysDir, settleMs } = config.encryption;
  const failures = metrics.counter({
    name: 'crate_encryption_key_read_failures_total',
    help: 'Times that the key-encryption keys could not be read again; those that are known stay in use',
  });
  return FileKeyProvider.ensure(keysDir, {
    settleMs,
    keysInUse: () => keysInUse(options),
    onReadFailure: (error) => {
      failures.add();
      logger.error('Failing to read the encryption keys again: those that are known stay in use', { error, keysDir });
    },
  });
}

async function keysInUse({ database, sealedTables }: OpenKeysOptions): Promise<readonly string[]> {
  const uses = await keyUses(async (statement) => ({ rows: await database.rowsOnce(statement) }), sealedTables);
  return uses.map(({ keyId }) => keyId);
}
