import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { freePort } from '@crate/local-servers';
import type { DataDir } from './data-dir.js';
import { findText } from './secret-file.js';

/** Ports this data directory uses; the same at every start, so that kubeconfigs stay valid. */
export interface Settings {
  readonly apiPort: number;
  readonly postgresPort: number;
  readonly natsPort: number;
  readonly sandboxPort: number;
  /** `/healthz`, `/readyz` and `/metrics` of each service. */
  readonly healthPorts: Readonly<Record<string, number>>;
}

/** Where the API listens unless told otherwise. */
export const DEFAULT_API_PORT = 6440;

/**
 * The settings of an earlier start with ports that were taken meanwhile replaced, or fresh ones.
 * An explicit `apiPort` always wins; the default one gives way to a free port when another platform holds it.
 */
export async function ensureSettings(dir: DataDir, services: readonly string[], apiPort?: number): Promise<Settings> {
  const text = await findText(dir.settingsFile());
  const before = (text === undefined ? {} : JSON.parse(text)) as Partial<Settings>;
  const settings: Settings = {
    apiPort: apiPort ?? (await usable(before.apiPort ?? DEFAULT_API_PORT)),
    postgresPort: await usable(before.postgresPort),
    natsPort: await usable(before.natsPort),
    sandboxPort: await usable(before.sandboxPort),
    healthPorts: Object.fromEntries(
      await Promise.all(services.map(async (name) => [name, await usable(before.healthPorts?.[name])] as const)),
    ),
  };
  await writeFile(dir.settingsFile(), `${JSON.stringify(settings, undefined, 2)}\n`);
  return settings;
}

async function usable(port: number | undefined): Promise<number> {
  return port !== undefined && (await isFree(port)) ? port : freePort();
}

/** True when this process could listen on the loopback port now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
