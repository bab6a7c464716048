import { HttpTargetCluster } from '@crate/kubernetes';
import type { CratePlatform } from '@crate/testing';
import { createCluster } from '../bench-cluster.js';
import { quantileOf, scrape, since, sumOfSamples } from './scrape.js';
import { sharesOf, usedBetween, type Shares } from './shares.js';
import { untilAllReady } from './until-ready.js';

/** Requests at a time: a person's script, not a thousand sockets. */
const WRITERS = 16;

/** Clusters asked for at once, until all of them were Ready. */
export interface Creation {
  readonly clusters: number;
  readonly seconds: number;
  /** Processor time meanwhile. */
  readonly used: Shares;
  /** 99th percentile of the time that keys were due before their passes began. */
  readonly waitP99: number;
  /** The same of lifecycle's clusters alone, which wait for no slot. */
  readonly clusterWaitP99: number;
  /** Time in all that runs of Terraform took. */
  readonly terraformSeconds: number;
}

const WAIT = 'crate_reconcile_wait_seconds';

export async function createAtOnce(
  platform: CratePlatform,
  names: readonly string[],
  say: (line: string) => void,
): Promise<Creation> {
  const api = new HttpTargetCluster(await platform.kubeconfig());
  const [before, toldBefore] = [await sharesOf(platform), await scrape(platform)];
  const startedAt = performance.now();
  const waiting = [...names];
  const write = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await createCluster(api, name);
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await untilAllReady(api, names, startedAt, say);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = usedBetween(before, await sharesOf(platform));
  const samples = since(toldBefore, await scrape(platform));
  return {
    clusters: names.length,
    seconds,
    used,
    waitP99: quantileOf(samples, WAIT, 0.99),
    clusterWaitP99: quantileOf(samples, WAIT, 0.99, { reconciler: 'cluster' }),
    terraformSeconds: sumOfSamples(samples, 'crate_terraform_run_seconds_sum'),
  };
}
