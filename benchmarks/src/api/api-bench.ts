import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { HttpTargetCluster } from '@crate/kubernetes';
import { CratePlatform } from '@crate/testing';
import type { LoadResult } from '../load/load-result.js';
import { usageOf, type Usage } from '../processes/usage.js';
import { Worker } from '../processes/worker.js';
import type { BaselineSetup } from './baseline.main.js';
import type { Dataset } from './dataset.js';
import { endpointOf, type Endpoint } from './endpoint.js';
import type { GeneratorJob, GeneratorSetup, LoadJob, Subject } from './generator.main.js';
import { seed } from './seed.js';

const PROJECTS = 20;
const CONNECTIONS = 32;
/** A platform that uses less than this has nothing left to do but what it does all the time. */
const IDLE_PROCESSORS = 0.15;
const LONGEST_REST_SECONDS = 60;

/** A load with what the processes used meanwhile. */
export interface Measured extends LoadResult {
  /** Processors used on average, by process. */
  readonly cpu: Readonly<Record<string, number>>;
  /** MiB afterwards, by process. */
  readonly rss: Readonly<Record<string, number>>;
}

/** A platform with data in it, the bare server on the same Postgres, and a process that puts load on either. */
export class ApiBench {
  private constructor(
    readonly platform: CratePlatform,
    readonly dataset: Dataset,
    readonly endpoints: Readonly<Record<'crate' | 'fastify', Endpoint>>,
    private readonly workers: Readonly<Record<'generator' | 'baseline', Worker>>,
  ) {}

  static async start(objects: number, say: (line: string) => void): Promise<ApiBench> {
    say('Starting a platform');
    const platform = await CratePlatform.start();
    try {
      return await ApiBench.on(platform, objects, say);
    } catch (error) {
      await platform.remove();
      throw error;
    }
  }

  private static async on(platform: CratePlatform, objects: number, say: (line: string) => void): Promise<ApiBench> {
    const [kubeconfig, databaseUrl] = await Promise.all([platform.kubeconfig(), platform.databaseUrl()]);
    say(`Storing ${objects} objects`);
    const api = new HttpTargetCluster(kubeconfig);
    const dataset = await seed({ api, databaseUrl, objects, projects: PROJECTS });
    const baseline = await Worker.start(new URL('./baseline.main.js', import.meta.url));
    const generator = await Worker.start(new URL('./generator.main.js', import.meta.url));
    const certificates = join(platform.directory, 'certificates');
    const setup: BaselineSetup = {
      dataset,
      databaseUrl,
      certificateFile: join(certificates, 'server.crt'),
      keyFile: join(certificates, 'server.key'),
    };
    const url = await baseline.run<string>(setup);
    const endpoint = endpointOf(kubeconfig);
    const endpoints = { crate: endpoint, fastify: { ...endpoint, url } };
    const prepared: GeneratorSetup = { dataset, databaseUrl, endpoints, connections: CONNECTIONS };
    await generator.run({ setup: prepared } satisfies GeneratorJob);
    return new ApiBench(platform, dataset, endpoints, { generator, baseline });
  }

  /** Processors that everything here shares. */
  get processors(): number {
    return availableParallelism();
  }

  /** Puts one load on one subject, alone. */
  async load(job: LoadJob): Promise<Measured> {
    return this.measure(() => this.workers.generator.run<LoadResult>({ load: job } satisfies GeneratorJob));
  }

  /** Sees to it that nothing of an earlier load is left to be worked on or cleared away: tidies the database, and waits at most a minute. */
  async rest(): Promise<void> {
    await tidy(await this.platform.databaseUrl());
    for (let seconds = 0; seconds < LONGEST_REST_SECONDS; seconds += 1) {
      const { cpu } = await this.measure(async () => delay(1_000, {}));
      const used = Object.values(cpu).reduce((sum, processors) => sum + processors, 0);
      if (used < IDLE_PROCESSORS) return;
    }
  }

  /** Does `work` and tells what the processes used while it ran. */
  async measure<T>(work: () => Promise<T>): Promise<T & Pick<Measured, 'cpu' | 'rss'>> {
    const pids = await this.pids();
    const before = await usageOf(pids);
    const startedAt = performance.now();
    const result = await work();
    const seconds = (performance.now() - startedAt) / 1000;
    const after = await usageOf(pids);
    const cpu = each(after, ({ cpuSeconds }, name) => (cpuSeconds - (before[name]?.cpuSeconds ?? 0)) / seconds);
    return { ...result, cpu, rss: each(after, ({ rssMiB }) => rssMiB) };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.workers).map((worker) => worker.stop()));
    await this.platform.remove();
  }

  private async pids(): Promise<Readonly<Record<string, number>>> {
    const { generator, baseline } = this.workers;
    const platform = Object.entries(await this.platform.processes()).map(([name, { pid }]) => [name, pid] as const);
    return { ...Object.fromEntries(platform), generator: generator.pid, baseline: baseline.pid };
  }
}

/** PostgreSQL would do this by itself a minute later, while something else is measured. */
async function tidy(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

function each(
  usage: Readonly<Record<string, Usage>>,
  value: (usage: Usage, name: string) => number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(usage).map(([name, of]) => [name, value(of, name)]));
}

/** In the order they are measured: the floor first. */
export const SUBJECTS: readonly Subject[] = ['pg', 'fastify', 'crate'];
