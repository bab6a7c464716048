import { availableParallelism } from 'node:os';
import { HttpTargetCluster } from '@crate/kubernetes';
import { CratePlatform } from '@crate/testing';
import { reportOf } from '../api/report.js';
import { prepareProject } from '../bench-cluster.js';
import type { Figure, Report, ScenarioOptions } from '../scenario.js';
import { applyBare, stacksOf } from './bare-terraform.js';
import { createAtOnce, type Creation } from './create-part.js';
import { measureIdle } from './idle-part.js';
import { measureRecovery } from './recovery-part.js';
import { measureRestart } from './restart-part.js';
import { scrape, sumOfSamples } from './scrape.js';
import { creationTold, idleTold, recoveryTold, restartTold, type Told } from './scale-report.js';

const CLUSTERS = { full: 1_000, quick: 2 } as const;
const REPLICAS = { full: [1, 2, 4], quick: [1] } as const;
const IDLE_SECONDS = { full: 120, quick: 3 } as const;
/** The kill is of one replica: more clusters would only wait longer for Terraform. */
const MOST_RECOVERED = 4;

interface Plan {
  readonly clusters: number;
  readonly replicas: readonly number[];
  readonly idleSeconds: number;
  /** Factor on that of the simulated cloud. */
  readonly latency: number;
  readonly has: (part: string) => boolean;
  readonly say: (line: string) => void;
  readonly tell: (told: Told) => void;
}

/** A fleet made at once on whole platforms, beside Terraform alone; what it costs at rest, and what becomes of it when something ends. */
export async function measureFleet(say: (line: string) => void, options: ScenarioOptions): Promise<Report> {
  const size = options.quick ? 'quick' : 'full';
  const figures: Record<string, Figure> = {};
  const table = [`${availableParallelism()} processors`];
  const plan: Plan = {
    clusters: options.clusters ?? CLUSTERS[size],
    replicas: options.replicas ?? REPLICAS[size],
    idleSeconds: options.seconds ?? IDLE_SECONDS[size],
    latency: options.latency ?? 0,
    has: (part) => options.only?.includes(part) ?? true,
    say,
    tell: ({ figures: found, lines }) => {
      Object.assign(figures, found);
      table.push(...lines);
      lines.forEach(say);
    },
  };
  await measurePlatforms(plan);
  if (plan.has('recovery')) {
    say('Starting two replicas, one of which is killed');
    plan.tell(recoveryTold(await measureRecovery(Math.min(plan.clusters, MOST_RECOVERED), say)));
  }
  return reportOf('fleet', figures, table);
}

/** The first platform is the one that is looked at at rest and started again; further ones show what more replicas bring. */
async function measurePlatforms(plan: Plan): Promise<void> {
  const isFirstNeeded = ['create', 'idle', 'restart'].some(plan.has);
  const further = plan.has('create') ? plan.replicas.slice(1) : [];
  let one: Creation | undefined;
  for (const replicas of [...(isFirstNeeded ? plan.replicas.slice(0, 1) : []), ...further]) {
    const creation = await measurePlatform(plan, replicas, one);
    one ??= creation;
  }
}

async function measurePlatform(plan: Plan, replicas: number, one: Creation | undefined): Promise<Creation> {
  const { say, tell, clusters, idleSeconds, latency: latencyScale } = plan;
  say(`Starting a platform with ${replicas} of each service`);
  const platform = await CratePlatform.start({ replicas, latencyScale });
  try {
    const measuresIdle = plan.has('idle') && !one;
    await prepareProject(new HttpTargetCluster(await platform.kubeconfig()));
    const none = measuresIdle ? await measureIdle(platform, 0, idleSeconds) : undefined;
    say(`Creating ${clusters} clusters at once`);
    const names = Array.from({ length: clusters }, (_, index) => `fleet-${index}`);
    const creation = await createAtOnce(platform, names, say);
    const isRestarted = none !== undefined || (plan.has('restart') && !one);
    if (isRestarted) {
      say('Starting it again');
      tell(restartTold(await measureRestart(platform)));
    }
    // Both times in processes that were just started, so that what making the fleet left behind is in neither.
    if (none) tell(idleTold(none, await measureIdle(platform, clusters, idleSeconds)));
    if (plan.has('create')) tell(creationTold(creation, replicas, one, await bareRun(plan, platform, !one)));
    return creation;
  } finally {
    await platform.remove();
  }
}

/** With the platform at rest, so that the machine is all Terraform's; as many at a time as the first platform had slots. */
async function bareRun(
  { say, latency }: Plan,
  platform: CratePlatform,
  isWanted: boolean,
): Promise<Awaited<ReturnType<typeof applyBare>> | undefined> {
  if (!isWanted) return undefined;
  const stacks = await stacksOf(platform);
  const parallelism = sumOfSamples(await scrape(platform), 'crate_terraform_slots');
  if (!(parallelism > 0)) throw new Error('cloud-mgmt does not tell how many slots it has');
  await platform.crate('down');
  say(`Applying the same ${stacks.files.length} stacks with Terraform alone, ${parallelism} at a time`);
  return applyBare(stacks, { parallelism, latency });
}
