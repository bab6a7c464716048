import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './checkout.js';
import type { LocalEngine } from './local-engine.js';

const GUIDE = join(ROOT, 'docs', 'install', 'docker-compose.md');
/** Beside the data, which is a volume: what is written elsewhere is gone with the process. */
const DUMP = '/var/lib/crate/services/postgres/crate.dump';

export interface RestoredPlatform {
  readonly engine: LocalEngine;
  /** Changes what the backup does not know of. */
  readonly change: () => Promise<unknown>;
  /** Ends the services, not PostgreSQL. */
  readonly stop: () => Promise<unknown>;
}

/** Backs a platform up, changes it, loses its keys and what it noted, and takes the backup back, by the commands of the guide. */
export async function restoreFromBackup({ engine, change, stop }: RestoredPlatform): Promise<void> {
  const [backUp, restore] = await scriptsOfGuide();
  const keys = await engine.runTool('keys', ['save']);
  await engine.exec('postgres', ['/bin/sh', '-c', `${backUp} > ${DUMP}`]);
  await change();
  await stop();
  await forget(engine);

  await engine.runTool('keys', ['restore'], keys);
  await engine.exec('postgres', ['/bin/sh', '-c', `(${restore}) < ${DUMP}`]);
  await engine.runTool('recovery', ['begin']);
}

/** What `postgres` runs in the guide's sections on backup and restore. */
async function scriptsOfGuide(): Promise<readonly string[]> {
  const text = await readFile(GUIDE, 'utf8');
  const scripts = [...text.matchAll(/^docker compose exec (?:-T )?postgres sh -c '([^']+)' [<>] crate\.dump$/gm)];
  if (scripts.length !== 2) throw new Error(`${GUIDE} has ${scripts.length} commands for a dump`);
  return scripts.map(([, script = '']) => script);
}

/** As a new host: no keys of the services, and no marker of how far the database had come. */
async function forget(engine: LocalEngine): Promise<void> {
  for (const service of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt']) {
    const volume = engine.volume(service);
    for (const name of await readdir(volume))
      if (name === 'encryption' || name === 'memory.json') await rm(join(volume, name), { recursive: true });
  }
}
