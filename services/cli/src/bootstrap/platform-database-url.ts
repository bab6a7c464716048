import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@crate/errors';
import { NAMESPACE } from '@crate/helm-chart';
import { openPortTunnel } from '@crate/kubernetes';
import { PivotSide } from '../pivot/pivot-side.js';
import type { BootstrapScope } from './scope.js';
import { bundledServers } from './servers/bundled-servers.js';
import { POSTGRES, POSTGRES_PORT } from './servers/server-names.js';

/** A pod that went is back within these, and its API. */
const ATTEMPTS = 6;
const PAUSE_MS = 5_000;

type Place = Pick<BootstrapScope, 'dir' | 'request'>;

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
      if (!hasCode(error, 'Unavailable') || left === 1) throw error;
      await delay(PAUSE_MS);
    }
  }
}
