import { resolve } from 'node:path';
import { ApiClient } from '../client/api-client.js';
import { DataDir } from './data-dir.js';
import { readDatabaseUrl } from './database-url.js';
import { LocalPlatform } from './platform.js';
import { readServiceSettings } from './service-settings.js';
import type { LocalService } from './services.js';
import { showExample } from './show-example.js';
import { stopSignal } from './stop-signal.js';

export interface RunPlatformOptions {
  readonly dataDir: string;
  readonly port?: number;
  readonly example: boolean;
  readonly only: readonly LocalService[];
  readonly replicas: number;
  readonly issuersFile?: string;
  readonly databaseUrlFile?: string;
  readonly serviceSettings?: string;
}

/** Runs the platform until a signal asks to stop, or throws when it does not come up. */
export async function runPlatform(options: RunPlatformOptions, searchPath: string): Promise<void> {
  const dir = new DataDir(options.dataDir);
  const signal = stopSignal();
  const say = (line: string): void => console.log(line);
  const { port, only, replicas, issuersFile, databaseUrlFile, serviceSettings } = options;
  const platform = new LocalPlatform({
    dir,
    services: only,
    replicas,
    searchPath,
    say,
    signal,
    serviceSettings: serviceSettings === undefined ? {} : await readServiceSettings(serviceSettings),
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
