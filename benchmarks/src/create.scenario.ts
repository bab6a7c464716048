import { HttpTargetCluster } from '@crate/kubernetes';
import { CratePlatform } from '@crate/testing';
import { createCluster, prepareProject, waitUntilReady } from './bench-cluster.js';
import { median, rounded, type Measure, type Report } from './scenario.js';

const TERRAFORM_SECONDS = 'crate_terraform_run_seconds_sum';

/** One cluster from request to Ready with a cloud that takes no time: what Crate itself costs. */
export const createOne: Measure = (say) => createMany('create-one', 1, say);

/** Twenty clusters asked for at once; Terraform runs are limited by the number of processors. */
export const createTwenty: Measure = (say) => createMany('create-20', 20, say);

const TARGET_SECONDS: Readonly<Record<string, number>> = { 'create-one': 15, 'create-20': 150 };

async function createMany(scenario: string, count: number, say: (line: string) => void): Promise<Report> {
  say('Starting a platform');
  const platform = await CratePlatform.start();
  try {
    const api = new HttpTargetCluster(await platform.kubeconfig());
    await prepareProject(api);
    say(`Creating ${count} cluster${count === 1 ? '' : 's'}`);
    const before = await platform.metric('cloud-mgmt', TERRAFORM_SECONDS);
    const names = Array.from({ length: count }, (_, index) => `bench-${index}`);
    const startedAt = performance.now();
    await Promise.all(names.map((name) => createCluster(api, name)));
    const seconds = await waitUntilReady(api, count, startedAt);
    const terraform = (await platform.metric('cloud-mgmt', TERRAFORM_SECONDS)) - before;
    return createReport(scenario, seconds, terraform);
  } finally {
    say('Stopping the platform');
    await platform.remove();
  }
}

/** `seconds` until each cluster was Ready, and what Terraform ran for all of them together. */
export function createReport(scenario: string, seconds: readonly number[], terraform: number): Report {
  const last = Math.max(...seconds);
  const target = TARGET_SECONDS[scenario] ?? Infinity;
  return {
    scenario,
    figures: {
      allReady: { value: rounded(last), unit: 's', target, baseline: rounded(terraform) },
      medianReady: { value: rounded(median(seconds)), unit: 's' },
      terraformPerCluster: { value: rounded(terraform / seconds.length), unit: 's' },
      ...(seconds.length === 1 ? { terraformShare: { value: rounded(terraform / last), unit: 'ratio' } } : {}),
    },
    pass: last <= target,
  };
}
