import { join, resolve } from 'node:path';
import { badRequest } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import { readProcessEnvironment } from '../config.js';
import { DataDir } from './data-dir.js';
import { readDatabaseUrl } from './database-url.js';
import { findIssuersFile } from './issuers-file.js';
import { LocalPlatform, type PlatformOptions } from './platform.js';
import { readServiceSettings, traceSettings } from './service-settings.js';
import type { LocalService } from './service-order.js';
import { showExample, type ShowExampleOptions } from './show-example.js';
import { stopSignal } from './stop-signal.js';

export interface RunPlatformOptions {
  readonly dataDir: string;
  readonly port?: number;
  readonly example: boolean;
  /** None: the database alone. */
  readonly only: readonly LocalService[];
  readonly replicas: number;
  readonly allInOne?: boolean;
  readonly sandboxUrl?: string;
  /** Kubeconfig of the one cluster that the platform looks after; absent: it makes clusters, in a sandbox. */
  readonly inCluster?: string;
  readonly issuersFile?: string;
  readonly databaseUrlFile?: string;
  readonly serviceSettings?: string;
  readonly otlpEndpoint?: string;
}

/** Runs the platform until a signal asks to stop, or throws when it does not come up. */
export async function runPlatform(options: RunPlatformOptions, searchPath: string): Promise<void> {
  if (options.allInOne && options.replicas > 1) throw badRequest('--all-in-one is one process: leave --replicas out');
  const dir = new DataDir(options.dataDir);
  const signal = stopSignal();
  const say = (line: string): void => console.log(line);
  const {
    port,
    only,
    replicas,
    allInOne = false,
    inCluster,
    issuersFile,
    databaseUrlFile,
    serviceSettings,
    otlpEndpoint,
  } = options;
  const platform = new LocalPlatform({
    dir,
    ...partsOf(options),
    replicas,
    isAllInOne: allInOne,
    sandboxUrl: options.sandboxUrl,
    searchPath,
    say,
    signal,
    serviceSettings: {
      ...traceSettings(readProcessEnvironment(), otlpEndpoint),
      ...inClusterSettings(inCluster),
      ...(serviceSettings === undefined ? {} : await readServiceSettings(serviceSettings)),
    },
    databaseUrl: databaseUrlFile === undefined ? undefined : await readDatabaseUrl(databaseUrlFile),
    issuersFile: issuersFile === undefined ? undefined : await findIssuersFile(issuersFile),
    ...(port === undefined ? {} : { port }),
  });

  const startedAt = performance.now();
  try {
    await platform.start();
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log('Stopped before it was ready; the data is kept');
    return;
  }
  try {
    const ready = only.length === 0 ? databaseReady(dir) : `API ready at ${platform.apiUrl}`;
    console.log(`${ready} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    if (only.includes('lifecycle')) {
      const client = await ApiClient.fromKubeconfig(dir.adminKubeconfig());
      await showExample({ client, dir, ...exampleOf(options, platform), signal });
    }
    await untilAborted(signal);
  } finally {
    console.log('Stopping; the data is kept');
    await platform.stop();
  }
}

function databaseReady(dir: DataDir): string {
  return `Database ready by the URL in ${join(dir.service('postgres'), 'database-url')}`;
}

/** Who is there for one cluster, or for the database alone, needs no cloud, not even a simulated one. */
export function partsOf({
  only,
  inCluster,
}: Pick<RunPlatformOptions, 'only' | 'inCluster'>): Pick<PlatformOptions, 'services' | 'hasSandbox'> {
  if (inCluster === undefined) return { services: only, hasSandbox: only.length > 0 };
  return { services: only.filter((service) => service !== 'cloud-mgmt'), hasSandbox: false };
}

function exampleOf(
  { example, inCluster }: RunPlatformOptions,
  { sandboxUrl }: LocalPlatform,
): Pick<ShowExampleOptions, 'withExample' | 'sandboxUrl'> {
  return inCluster === undefined ? { withExample: example, sandboxUrl } : { withExample: false };
}

/** What services are told of the one cluster that they are there for. */
export function inClusterSettings(kubeconfig: string | undefined): Readonly<Record<string, string>> {
  if (kubeconfig === undefined) return {};
  return { CRATE_IN_CLUSTER_ENABLED: 'true', CRATE_IN_CLUSTER_KUBECONFIG_FILE: resolve(kubeconfig) };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
