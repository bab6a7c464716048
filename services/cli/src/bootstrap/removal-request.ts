import { resolve } from 'node:path';
import { refusal } from './refusal.js';
import type { BootstrapRequest } from './request.js';
import { bundledServers } from './servers/bundled-servers.js';

/** What is said of a removal alone. */
export interface RemovalOptions {
  /** How long each step may take. */
  readonly timeout: number;
  readonly managementNetworks?: readonly string[] | undefined;
  /** Where the URL of the database's owner is by now. */
  readonly databaseUrlFile?: string | undefined;
}

/**
 * What a removal works with: what the platform was set up with, and what is said of the removal. The networks of the bootstrap may long be others, such as
 * when this machine has another address, and the temporary platform would shut out who takes it away; its patience may have been what was left of somebody's. Throws Conflict (`RequestChanged`) when a database is named that the platform did not have.
 */
export function removalRequest(
  before: BootstrapRequest,
  { timeout, managementNetworks = before.managementNetworks, databaseUrlFile }: RemovalOptions,
): BootstrapRequest {
  const request = { ...before, managementNetworks, timeoutMs: timeout };
  if (databaseUrlFile === undefined) return request;
  if (!bundledServers(before).postgres) return { ...request, databaseUrlFile: resolve(databaseUrlFile) };
  throw refusal({
    reason: 'RequestChanged',
    message: `PostgreSQL of ${before.name} is in its cluster, and goes with that`,
    remedy: 'Leave --database-url-file out',
  });
}
