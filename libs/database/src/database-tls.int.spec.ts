import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, TestAuthority, type PostgresServer } from '@crate/testing';
import { Database } from './database.js';

let directory: string;
let authority: TestAuthority;
let server: PostgresServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-postgres-tls-'));
  authority = await TestAuthority.create(directory);
  server = await startPostgres();
  await encrypt();
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Has the server speak TLS. It writes the files itself, since it may run as another user. */
async function encrypt(): Promise<void> {
  const { certificateFile, keyFile } = await authority.issue('postgres');
  const owner = new Database({ url: server.url, schema: 'public' });
  for (const [name, file] of Object.entries({ 'server.crt': certificateFile, 'server.key': keyFile })) {
    const lines = (await readFile(file, 'utf8')).trim().replaceAll('\n', `'), ('`);
    await owner.rowsOnce(`COPY (SELECT * FROM (VALUES ('${lines}')) AS lines) TO PROGRAM 'umask 077; cat > ${name}'`);
  }
  await owner.rowsOnce('ALTER SYSTEM SET ssl = on');
  await owner.close();
  await server.restart();
}

async function isEncrypted(parameters: string): Promise<boolean | undefined> {
  const database = new Database({ url: `${server.url}?${parameters}`, schema: 'public' });
  try {
    const row = await database.firstRow<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return row?.ssl;
  } finally {
    await database.close();
  }
}

describe('a database URL', () => {
  it('that asks for TLS gets it, with the authority it names', async () => {
    expect(await isEncrypted(`sslmode=verify-full&sslrootcert=${authority.certificateFile}`)).toBe(true);
  });

  it('refuses a server whose certificate is of another authority', async () => {
    await expect(isEncrypted('sslmode=verify-full')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('that asks for nothing gets nothing', async () => {
    expect(await isEncrypted('')).toBe(false);
  });
});
