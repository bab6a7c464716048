import { CratePlatform } from '@crate/testing';
import type { LoadResult } from '../load/load-result.js';
import { usageOf } from '../processes/usage.js';
import { Worker } from '../processes/worker.js';
import { clusterReviews } from './ordinary-clusters.js';
import type { ReviewsJob, ReviewsLoad } from './reviews.main.js';

const CLUSTERS = 60;
const IN_FLIGHT = 32;
/** Until the code of every process on the way is compiled; on a machine that has other things to do, not for ever. */
const WARM_UP = { full: { reviews: 10_000, seconds: 60 }, quick: { reviews: 50, seconds: 5 } };

/** What policy-mgmt does for a service that asks it over NATS. */
export interface ServiceResult extends LoadResult {
  readonly replicas: number;
  readonly inFlight: number;
  /** Milliseconds of processor for one review, by process; what other work on the machine moves least. */
  readonly cpuPerReview: Readonly<Record<string, number>>;
}

export interface ServicePlan {
  /** Processes of each service. */
  readonly replicas: number;
  readonly seconds: number;
  readonly quick: boolean;
}

/** Starts a whole platform, and asks for reviews as fast as they are answered. */
export async function measureService({ replicas, seconds, quick }: ServicePlan): Promise<ServiceResult> {
  const platform = await CratePlatform.start({ replicas });
  const worker = await Worker.start(new URL('./reviews.main.js', import.meta.url));
  try {
    const run = (job: ReviewsJob): Promise<LoadResult> => worker.run<LoadResult>(job);
    await run({ setup: { directory: platform.directory, requests: clusterReviews(CLUSTERS) } });
    await warmUp(run, quick ? WARM_UP.quick : WARM_UP.full);
    const load: ReviewsLoad = { seconds, inFlight: IN_FLIGHT };
    const pids = await pidsOf(platform, worker);
    return { replicas, inFlight: IN_FLIGHT, ...(await measured(pids, () => run({ load }))) };
  } finally {
    await worker.stop();
    await platform.remove();
  }
}

async function warmUp(
  run: (job: ReviewsJob) => Promise<LoadResult>,
  { reviews, seconds }: { readonly reviews: number; readonly seconds: number },
): Promise<void> {
  let done = 0;
  for (let second = 0; second < seconds && done < reviews; second += 1) {
    const { latency } = await run({ load: { seconds: 1, inFlight: IN_FLIGHT } });
    done += latency.count;
  }
}

async function measured(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<LoadResult>,
): Promise<LoadResult & Pick<ServiceResult, 'cpuPerReview'>> {
  const before = await usageOf(pids);
  const result = await work();
  const after = await usageOf(pids);
  const perReview = Object.keys(pids).map((name) => {
    const seconds = (after[name]?.cpuSeconds ?? NaN) - (before[name]?.cpuSeconds ?? NaN);
    return [name, (seconds * 1000) / result.latency.count] as const;
  });
  return { ...result, cpuPerReview: Object.fromEntries(perReview) };
}

/** Who has a part in a review; the rest of the platform has nothing to do. */
async function pidsOf(platform: CratePlatform, worker: Worker): Promise<Readonly<Record<string, number>>> {
  const part = ([name]: readonly [string, unknown]): boolean => /^(policy-mgmt(-\d+)?|nats|postgres)$/.test(name);
  const entries = Object.entries(await platform.processes()).filter(part);
  return { ...Object.fromEntries(entries.map(([name, { pid }]) => [name, pid])), generator: worker.pid };
}
