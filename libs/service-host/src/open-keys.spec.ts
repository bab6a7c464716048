import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@crate/database';
import type { FileKeyProvider } from '@crate/secrets';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openKeys } from './open-keys.js';

let keysDir: string;
let logger: InMemoryLogger;
let metrics: InMemoryMetrics;

beforeEach(async () => {
  keysDir = await mkdtemp(join(tmpdir(), 'crate-keys-'));
  logger = new InMemoryLogger();
  metrics = new InMemoryMetrics();
});
afterEach(async () => rm(keysDir, { recursive: true, force: true }));

/** Beside a table of the service in which everything stands under one key. */
async function open(sealedTables: readonly string[], keyId = '2026-01'): Promise<FileKeyProvider> {
  const rowsOnce = (statement: string): Promise<unknown[]> =>
    Promise.resolve(statement.includes('FROM own_records GROUP BY key_id') ? [{ keyId, records: 1 }] : []);
  const database = { rowsOnce } as unknown as Database;
  const encryption = { keysDir, settleMs: 0, renewalCheckMs: 1000, keptVersions: 1 };
  const tables = sealedTables.map((name) => ({ name }));
  return openKeys({ config: { encryption }, database, sealedTables: tables, logger, metrics });
}

describe('openKeys', () => {
  it('makes no first key beside records of tables that the service has of its own', async () => {
    await expect(open(['own_records'])).rejects.toMatchObject({ details: { reason: 'EncryptionKeyMissing' } });
    expect(await readdir(keysDir)).toEqual([]);
    await open([]);
    expect(await readdir(keysDir)).toHaveLength(1);
  });

  it('counts each time that a key file is bad, and logs it once, and that it is good again', async () => {
    const keys = await open([]);
    await writeFile(join(keysDir, '9.key'), 'c2hvcnQ=', { mode: 0o600 });
    for (const keyId of ['a', 'b', 'c']) await keys.knows(keyId);
    const bad = { level: 'error', fields: { keysDir, error: expect.objectContaining({ code: 'InvalidSpec' }) } };
    expect(logger.lines).toMatchObject([bad]);
    expect(metrics.value('crate_encryption_key_read_failures_total')).toBe(3);

    await rm(join(keysDir, '9.key'));
    for (const keyId of ['d', 'e']) await keys.knows(keyId);
    expect(logger.lines).toMatchObject([bad, { level: 'info' }]);
  });
});
