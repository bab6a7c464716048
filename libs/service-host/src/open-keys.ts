import type { Database } from '@crate/database';
import { FileKeyProvider, keyUses, type SealedTable } from '@crate/secrets';
import type { Logger, Metrics } from '@crate/telemetry';
import type { HostConfig } from './host-config.js';

export interface OpenKeysOptions {
  readonly config: Pick<HostConfig, 'encryption'>;
  /** Whose records stand under the keys. */
  readonly database: Database;
  readonly sealedTables?: readonly Pick<SealedTable, 'name'>[] | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The key-encryption keys of a service. Throws as `FileKeyProvider.ensure` does. */
export async function openKeys(options: OpenKeysOptions): Promise<FileKeyProvider> {
  const { keysDir, settleMs } = options.config.encryption;
  return FileKeyProvider.ensure(keysDir, {
    settleMs,
    keysInUse: () => keysInUse(options),
    onReread: tellOfFailures(options),
  });
}

/** Each reading that failed is counted, so that the alert stays; what it failed of is told of when that changes. */
function tellOfFailures({ config, logger, metrics }: OpenKeysOptions): (failures: readonly unknown[]) => void {
  const { keysDir } = config.encryption;
  const counter = metrics.counter({
    name: 'crate_encryption_key_read_failures_total',
    help: 'Times that not all key-encryption keys could be read again; those that are known stay in use',
  });
  let told = '';
  return (failures) => {
    if (failures.length > 0) counter.add();
    const found = failures.map(String).sort().join();
    if (found === told) return;
    told = found;
    for (const error of failures)
      logger.error('Failing to read the encryption keys again: those that are known stay in use', { error, keysDir });
    if (failures.length === 0) logger.info('All encryption keys can be read again', { keysDir });
  };
}

async function keysInUse({ database, sealedTables = [] }: OpenKeysOptions): Promise<readonly string[]> {
  const names = sealedTables.map(({ name }) => name);
  const uses = await keyUses(async (statement) => ({ rows: await database.rowsOnce(statement) }), names);
  return uses.map(({ keyId }) => keyId);
}
