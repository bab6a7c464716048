import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDir } from '../up/data-dir.js';
import { writeSecretFile } from '../up/secret-file.js';
import { ensureServiceDatabases } from '../up/service-databases.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import type { InstallationSettings } from './config.js';

/**
 * Gives each service its role and schemas in PostgreSQL, and the URL it connects with: encrypted, to a server that shows a certificate of
 * this installation's authority. Waits for PostgreSQL; throws Unavailable when it does not come. Idempotent.
 */
export async function prepareDatabases(settings: InstallationSettings, signal: AbortSignal): Promise<void> {
  const dir = new DataDir(settings.dir);
  const { host, port, database, user } = settings.postgres;
  const password = (await readFile(join(dir.service('postgres'), 'password'), 'utf8')).trim();
  const query = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: join(dir.trust(), 'ca.crt') });
  const ownerUrl = `postgresql://${user}:${password}@${host}:${port}/${database}?${query.toString()}`;
  const urls = await ensureServiceDatabases({ dir, ownerUrl, services: SERVICE_ORDER, signal });
  for (const [service, url] of urls) await writeSecretFile(join(dir.service(service), 'database-url'), url);
}
