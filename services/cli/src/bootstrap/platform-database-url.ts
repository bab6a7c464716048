import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { refusesUser } from '@crate/database';
import { hasCode } from '@crate/errors';
import { NAMESPACE } from '@crate/helm-chart';
import { openPortTunnel } from '@crate/kubernetes';
import { readDatabaseUrl } from '../up/database-url.js';
import { findText } from '../up/secret-file.js';
import { PivotSide } from '../pivot/pivot-side.js';
import type { BootstrapDir } from './bootstrap-dir.js';
import { writeDurably } from './durable-file.js';
import { refusal } from './refusal.js';
import type { BootstrapScope } from './scope.js';
import { bundledServers } from './servers/bundled-servers.js';
import { POSTGRES, POSTGRES_PORT } from './servers/server-names.js';

/** A pod that went is back within these, and its API. */
const ATTEMPTS = 6;
const PAUSE_MS = 5_000;

type Place = Pick<BootstrapScope, 'dir' | 'request'>;

/**
 * Keeps what the file says now, where its owner has another user or password than before. `isNamed`: for this alone; throws Conflict (`RequestChanged`)
 * then when it is of another database. What the bootstrap named may be gone by now, or be of another platform.
 */
export async function renewDatabaseUrl(dir: BootstrapDir, file: string | undefined, isNamed: boolean): Promise<void> {
  const kept = await findText(dir.databaseUrl());
  if (kept === undefined || file === undefined) return;
  const given = await (isNamed ? readDatabaseUrl(file) : readIfAny(file));
  if (given === undefined || given === kept) return;
  if (databaseOf(given) === databaseOf(kept)) return writeDurably(dir.databaseUrl(), given);
  if (isNamed) throw anotherDatabase(dir, file, { given, kept });
}

/**
 * Works with the platform's database by a URL that leads there from this machine, for as long as the work takes: that of one's own server, or of one in
 * the cluster through its API. Whether it answers is seen by whoever connects.
 */
export async function withDatabaseUrl<T>({ dir, request }: Place, work: (url: string) => Promise<T>): Promise<T> {
  const text = await readFile(dir.databaseUrl(), 'utf8');
  if (!bundledServers(request).postgres) return work(text);
  const kubeconfig = await readFile(dir.clusterKubeconfig(), 'utf8');
  const tunnel = await openPortTunnel(kubeconfig, {
    ...{ namespace: NAMESPACE, pod: `${POSTGRES}-0`, port: POSTGRES_PORT },
  });
  try {
    const url = new URL(text);
    url.host = `localhost:${tunnel.port}`;
    url.searchParams.set('sslrootcert', dir.serversCa());
    return await work(url.href);
  } finally {
    await tunnel.close();
  }
}

/** Works with the platform in the cluster as a side of a move, which goes on where it was when its database was away for a moment. */
export async function withPlatformSide<T>(place: Place, work: (side: PivotSide) => Promise<T>): Promise<T> {
  const attempt = (): Promise<T> =>
    withDatabaseUrl(place, (url) => work(PivotSide.of('the platform in the cluster', url, place.dir.keys())));
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!hasCode(error, 'Unavailable') || refusesUser(error) || left === 1) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** A secret that was to be read once may be gone, emptied, or nobody's to read by now. */
async function readIfAny(file: string): Promise<string | undefined> {
  try {
    return await readDatabaseUrl(file);
  } catch {
    return undefined;
  }
}

/** Without who connects, and how. */
function databaseOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || POSTGRES_PORT}${pathname}`;
}

function anotherDatabase(
  { root }: BootstrapDir,
  file: string,
  { given, kept }: { readonly given: string; readonly kept: string },
): Error {
  return refusal({
    reason: 'RequestChanged',
    message: `${file} names the database ${databaseOf(given)}, and ${root} belongs to a platform in ${databaseOf(kept)}`,
    remedy: `Give its URL with --database-url-file, or the directory of the other platform with --data`,
  });
}
