import { resolve } from 'node:path';
import { badRequest } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import { readProcessEnvironment } from '../config.js';
import { DataDir } from './data-dir.js';
import { readDatabaseUrl } from './database-url.js';
import { LocalPlatform } from './platform.js';
import { readServiceSettings, traceSettings } from './service-settings.js';
import type { LocalService } from './service-order.js';
import { showExample } from './show-example.js';
import { stopSignal } from './stop-signal.js';

export interface RunPlatformOptions {
  readonly dataDir: string;
  readonly port?: number;
  readonly example: boolean;
  readonly only: readonly LocalService[];
  readonly replicas: number;
  readonly allInOne?: boolean;
  readonly sandboxUrl?: string;
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
    issuersFile,
    databaseUrlFile,
    serviceSettings,
    otlpEndpoint,
  } = options;
  const platform = new LocalPlatform({
    dir,
    services: only,
    replicas,
    isAllInOne: allInOne,
    sandboxUrl: options.sandboxUrl,
    searchPath,
    say,
    signal,
    serviceSettings: {
      ...traceSettings(readProcessEnvironment(), otlpEndpoint),
      ...(serviceSettings === undefined ? {} : await readServiceSettings(serviceSettings)),
    },
    databaseUrl: databaseUrlFile === undefined ? undefined : await readDatabaseUrl(databaseUrlFile),
    issuersFile: issuersFile === undefined ? undefined : resolve(issuersFile),
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
    console.log(`API ready at ${platform.apiUrl} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    if (only.includes('lifecycle')) {
      const client = await ApiClient.fromKubeconfig(dir.adminKubeconfig());
      await showExample({ client, dir, withExample: options.example, sandboxUrl: platform.sandboxUrl, signal });
    }
    await untilAborted(signal);
  } finally {
    console.log('Stopping; the data is kept');
    await platform.stop();
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
