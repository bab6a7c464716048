import { HttpTargetCluster } from '@crate/kubernetes';
import { CratePlatform, eventually } from '@crate/testing';
import pg from 'pg';
import { createCluster, prepareProject } from '../bench-cluster.js';
import { untilAllReady } from './until-ready.js';

const REPLICAS = 2;
/** Slow enough that somebody dies in the middle of something. */
const LATENCY = 0.3;
const PATIENCE_MS = 600_000;

/** A replica of cloud-mgmt killed with SIGKILL while it ran Terraform. */
export interface Recovery {
  /** Keys that it worked on. */
  readonly keys: number;
  /** From the kill until another process worked on the last of them. */
  readonly seconds: number;
  /** From the kill until all clusters were Ready. */
  readonly readySeconds: number;
}

interface Held {
  readonly reconciler: string;
  readonly namespace: string;
  readonly name: string;
  readonly epoch: string;
  readonly pid: number;
}

const HELD = `SELECT reconciler, namespace, name, epoch::text, split_part(holder, ':', 2)::int AS pid
  FROM cloud_mgmt.work_items WHERE lease_until > now()`;
const IS_SETTLED = `SELECT FROM cloud_mgmt.work_items
  WHERE reconciler = $1 AND namespace = $2 AND name = $3 AND epoch = $4 AND lease_until IS NOT NULL`;

/** On a platform of its own with two replicas of each service. */
export async function measureRecovery(clusters: number, say: (line: string) => void): Promise<Recovery> {
  const platform = await CratePlatform.start({ replicas: REPLICAS, latencyScale: LATENCY });
  const database = new pg.Client({ connectionString: await platform.databaseUrl() });
  try {
    await database.connect();
    const api = new HttpTargetCluster(await platform.kubeconfig());
    await prepareProject(api);
    const names = Array.from({ length: clusters }, (_, index) => `recovered-${index}`);
    await Promise.all(names.map((name) => createCluster(api, name)));
    const victim = await untilAtWork(platform, database);
    const startedAt = performance.now();
    process.kill(victim.pid, 'SIGKILL');
    for (const held of victim.keys) await untilTaken(database, held);
    const seconds = (performance.now() - startedAt) / 1000;
    await platform.setLatency(0);
    await untilAllReady(api, names, startedAt, say);
    return { keys: victim.keys.length, seconds, readySeconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await database.end();
    await platform.remove();
  }
}

/** The replica that works on most once Terraform has made something. */
async function untilAtWork(
  platform: CratePlatform,
  database: pg.Client,
): Promise<{ readonly pid: number; readonly keys: readonly Held[] }> {
  await eventually(async () => (await platform.inventory()).length > 0, { timeoutMs: PATIENCE_MS });
  const { rows } = await database.query<Held>(HELD);
  const heldBy = (pid: number): readonly Held[] => rows.filter((held) => held.pid === pid);
  const [busiest] = rows.map(({ pid }) => pid).sort((one, other) => heldBy(other).length - heldBy(one).length);
  if (busiest === undefined) throw new Error('Nobody works on anything while the cloud is being filled');
  return { pid: busiest, keys: heldBy(busiest) };
}

/** Its lease is somebody else's, or was given back by somebody else. */
async function untilTaken(database: pg.Client, { reconciler, namespace, name, epoch }: Held): Promise<void> {
  const isTaken = async (): Promise<boolean> =>
    (await database.query(IS_SETTLED, [reconciler, namespace, name, epoch])).rowCount === 0;
  await eventually(isTaken, { timeoutMs: PATIENCE_MS });
}
