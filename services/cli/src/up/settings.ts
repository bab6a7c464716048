import { conflict } from '@crate/errors';
import { claimPort, freePort, isFree } from '@crate/local-servers';
import type { DataDir } from './data-dir.js';
import { findPortHolder } from './port-holder.js';
import { findText, replaceFile } from './secret-file.js';

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
 * An explicit `apiPort` wins over the one kept, and it is a Conflict when it is taken; the default one gives way to a
 * free port.
 */
export async function ensureSettings(dir: DataDir, services: readonly string[], apiPort?: number): Promise<Settings> {
  const text = await findText(dir.settingsFile());
  const before = text === undefined ? {} : parse(text, dir.settingsFile());
  const isClaimed = await claim(apiPort ?? before.apiPort ?? DEFAULT_API_PORT, before);
  const ports = services.map(async (name) => [name, await usable(before.healthPorts?.[name])] as const);
  const settings: Settings = {
    apiPort: await (apiPort === undefined ? unasked(before.apiPort, isClaimed) : explicit(apiPort)),
    postgresPort: await usable(before.postgresPort),
    natsPort: await usable(before.natsPort),
    sandboxPort: await usable(before.sandboxPort),
    // Those of services that do not run this time are kept for when they do.
    healthPorts: { ...before.healthPorts, ...Object.fromEntries(await Promise.all(ports)) },
  };
  await replaceFile(dir.settingsFile(), `${JSON.stringify(settings, undefined, 2)}\n`, 0o644);
  return settings;
}

/**
 * Before any is chosen, so that none of those kept is given to another part or program. False when somebody else has claimed that of
 * the API.
 */
async function claim(apiPort: number, { healthPorts, ...kept }: Partial<Settings>): Promise<boolean> {
  const isClaimed = await claimPort(apiPort);
  await Promise.all([...Object.values(kept), ...Object.values(healthPorts ?? {})].map(claimPort));
  return isClaimed;
}

/**
 * Every platform begins with the same default, and API servers may share a port: one that is claimed belongs to a platform that is
 * starting. Ports that `freePort` gave are claimed by whoever asked for them.
 */
async function unasked(kept: number | undefined, isClaimed: boolean): Promise<number> {
  const port = kept ?? DEFAULT_API_PORT;
  return port === DEFAULT_API_PORT && !isClaimed ? freePort() : usable(port);
}

async function usable(port: number | undefined): Promise<number> {
  return port !== undefined && (await isFree(port)) ? port : freePort();
}

async function explicit(port: number): Promise<number> {
  if (await isFree(port)) return port;
  const holder = findPortHolder(port) ?? 'another program';
  throw conflict(
    `Port ${port} is taken by ${holder}. End that, or give another --port (without it a free one is chosen)`,
  );
}

function parse(text: string, file: string): Partial<Settings> {
  try {
    return JSON.parse(text) as Partial<Settings>;
  } catch (error) {
    throw conflict(`${file} is damaged (${String(error)}); remove it to have new ports chosen`);
  }
}
