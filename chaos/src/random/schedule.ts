import {
  CHAOS_CLASS,
  CLASS_MARK,
  DRIFT_POLICIES,
  SMALL_CLUSTER,
  type AnySpec,
  type ClassContent,
  type ClusterSpec,
  type Guards,
  type PlanWish,
  type UserAction,
} from '../users/user-action.js';
import { Prng } from './prng.js';

/** Something that is broken, for a while where that makes sense. */
export type Disturbance =
  | { readonly break: 'kill'; readonly process: string }
  /** Kills Terraform or rke with its process group, as often as it runs right now. */
  | { readonly break: 'kill-runs'; readonly program: 'terraform' | 'rke' }
  | { readonly break: 'freeze'; readonly process: string; readonly forMs: number }
  /** NATS is not there: connections are refused, and it comes back with nothing of before. */
  | { readonly break: 'nats-down'; readonly forMs: number }
  /** The second host stands still with all that it runs, and goes on as if nothing had been. */
  | { readonly break: 'host-down'; readonly forMs: number }
  /** The second host never goes on: another one, with another name and empty disks, comes in its place. */
  | { readonly break: 'host-lost' }
  /** The next commit of the service is done, and its connection breaks before the answer. */
  | { readonly break: 'cut-answer'; readonly service: string }
  | { readonly break: 'cut-connections' }
  | { readonly break: 'fault'; readonly fault: Readonly<Record<string, unknown>>; readonly forMs: number }
  | { readonly break: 'slow-cloud'; readonly scale: number; readonly forMs: number }
  | { readonly break: 'clock'; readonly service: string; readonly offsetMs: number; readonly forMs: number }
  /** Every byte is taken of the disk that Terraform's workspaces or Postgres' data are on. */
  | { readonly break: 'disk-full'; readonly disk: 'terraform' | 'postgres'; readonly forMs: number }
  /** Somebody changes or removes something in the cloud's own console; `nth` chooses what, of what there is then. */
  | { readonly break: 'meddle'; readonly how: Meddling; readonly nth: number }
  /** No target cluster's API answers. */
  | { readonly break: 'target-down'; readonly forMs: number }
  /** Every target cluster's API shows a certificate whose time is over. */
  | { readonly break: 'target-expired'; readonly forMs: number };

/** What somebody does in the cloud: machines are workers, since a cluster that loses its etcd is lost. */
export const MEDDLINGS = ['changes a network', 'removes a worker', 'removes a rule'] as const;
export type Meddling = (typeof MEDDLINGS)[number];

export interface ScheduledStep {
  readonly atMs: number;
  readonly what: UserAction | Disturbance;
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly clusters: number;
  readonly minutes: number;
  readonly replicas: number;
  readonly hosts: number;
  readonly leaseMs: number;
}

const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'] as const;
const SERVERS = ['sandbox', 'nats', 'postgres'] as const;
const VERSIONS = ['v1.30.12', 'v1.31.4', 'v1.31.8', 'v1.32.4'] as const;
const TEN_MINUTES_MS = 600_000;
const MINUTE_MS = 60_000;
const LONGEST_SILENCE_MS = 120_000;
/** Longer than a deletion waits for them: what they do not take away is then removed in the cloud. */
const TARGETS_AWAY_MS = { least: 10_000, most: 40_000 };
const USERS_SHARE = 0.45;
/** Share of clusters that are there because somebody approved a plan of them. */
const PLANNED_SHARE = 0.25;
/** Null: none. */
const CEILINGS = [null, null, 'roll', 'restart', 'none'] as const;
/** Share of clusters that are of the class. */
const CLASSED_SHARE = 0.4;
const CLASS_VERSIONS = ['v1.31.4', 'v1.31.8', 'v1.31.8', 'v1.32.4'] as const;
/** Clusters come when their class is most likely there. */
const CLASS_FIRST_MS = 500;
const CREATE_EVERY_MS = 200;
const STEP_EVERY_MS = { least: 500, most: 4_000 };

/** What users do and what is broken, all of it from the seed alone. */
export function scheduleOf(options: ScheduleOptions): readonly ScheduledStep[] {
  const random = new Prng(options.seed);
  const names = Array.from({ length: options.clusters }, (_, index) => `c${index}`) as [string, ...string[]];
  const steps: ScheduledStep[] = [{ atMs: 0, what: { user: 'publish', content: aClass(random) } }];
  let atMs = CLASS_FIRST_MS;
  for (const cluster of names) {
    steps.push({ atMs, what: creation(random, cluster) });
    atMs += CREATE_EVERY_MS;
  }
  for (;;) {
    atMs += random.between(STEP_EVERY_MS.least, STEP_EVERY_MS.most);
    if (atMs >= options.minutes * MINUTE_MS) return steps;
    const what = random.fraction() < USERS_SHARE ? userAction(random, names) : disturbance(random, options);
    steps.push({ atMs, what });
  }
}

function creation(random: Prng, cluster: string): UserAction {
  const spec = anySpec(random);
  const isPlanned = random.fraction() < PLANNED_SHARE;
  return isPlanned ? planOf(random, cluster, { wanted: spec }) : { user: 'create', cluster, spec };
}

function planOf(random: Prng, cluster: string, wish: PlanWish): UserAction {
  return { user: 'plan', cluster, plan: `p-${random.between(0, 999_999_999)}`, wish };
}

function guards(random: Prng): Guards {
  const drift = { policy: random.pick(DRIFT_POLICIES), everyMinutes: random.pick([1, 60]) };
  const maxImpact = random.pick(CEILINGS);
  return maxImpact === null ? { drift } : { drift, maxImpact };
}

function aSpec(random: Prng): ClusterSpec {
  return {
    ...SMALL_CLUSTER,
    kubernetes: { engine: 'rke', version: random.pick(VERSIONS) },
    network: { availabilityZones: random.between(1, 3) },
    controlPlane: { replicas: random.pick([1, 1, 3]) },
    nodePools: [{ name: 'workers', replicas: random.between(0, 3) }],
    addOns: random.pick([[], [{ name: 'docs' }]]),
    ...guards(random),
  };
}

function anySpec(random: Prng): AnySpec {
  const { accountRef, region, nodePools } = SMALL_CLUSTER;
  const isClassed = random.fraction() < CLASSED_SHARE;
  if (!isClassed) return aSpec(random);
  const workers = random.between(0, 3);
  const parameters = workers === nodePools.length ? {} : { workers };
  return { accountRef, region, classRef: { name: CHAOS_CLASS }, parameters, ...guards(random) };
}

function aClass(random: Prng): ClassContent {
  const { network, controlPlane } = SMALL_CLUSTER;
  const mark = `m${random.between(0, 999_999_999)}`;
  return {
    template: {
      kubernetes: { engine: 'rke', version: random.pick(CLASS_VERSIONS) },
      network,
      controlPlane,
      nodePools: [{ name: 'workers', replicas: '${params.workers}', labels: { [CLASS_MARK]: mark } }],
      addOns: random.pick([[], [{ name: 'docs' }]]),
    },
    locked: random.pick([[], ['kubernetes.version']]),
    rollout: {
      strategy: random.pick(['Automatic', 'Automatic', 'Manual']),
      maxConcurrent: random.between(1, 2),
      maxFailures: random.between(0, 2),
    },
  };
}

function userAction(random: Prng, names: readonly [string, ...string[]]): UserAction {
  const cluster = random.pick(names);
  const { kubernetes, nodePools, addOns } = aSpec(random);
  const { drift } = guards(random);
  const all: readonly [UserAction, ...UserAction[]] = [
    { user: 'change', cluster, spec: { nodePools } },
    { user: 'change', cluster, spec: { nodePools } },
    { user: 'change', cluster, spec: { addOns } },
    { user: 'change', cluster, spec: { kubernetes } },
    { user: 'change', cluster, spec: { paused: random.fraction() < 0.5 } },
    { user: 'change', cluster, spec: { drift } },
    { user: 'change', cluster, spec: { maxImpact: random.pick(CEILINGS) } },
    { user: 'expose', cluster },
    { user: 'expose', cluster },
    { user: 'delete', cluster },
    { user: 'recreate', cluster, spec: anySpec(random) },
    { user: 'create', cluster, spec: anySpec(random) },
    planOf(random, cluster, { changes: { nodePools } }),
    planOf(random, cluster, { changes: random.pick([{ kubernetes }, { addOns }]) }),
    planOf(random, cluster, { changes: {} }),
    planOf(random, cluster, { wanted: anySpec(random) }),
    planOf(random, cluster, { destroy: true }),
    { user: 'force', cluster },
    { user: 'restore', cluster, back: random.between(1, 4) },
    { user: 'credentials', accessKeyId: `AKIACHAOS${random.between(10_000_000, 99_999_999)}ABC` },
    { user: 'rotate-keys' },
    { user: 'publish', content: aClass(random) },
    { user: 'publish', content: aClass(random) },
    { user: 'hold-rollout', paused: random.fraction() < 0.5 },
    { user: 'move', cluster },
  ];
  return random.pick(all);
}

function disturbance(random: Prng, { replicas, hosts, leaseMs }: ScheduleOptions): Disturbance {
  const service = random.pick(SERVICES);
  const process = replicas > 1 && random.fraction() < 0.5 ? `${service}-2` : service;
  const forMs = random.between(1_000, 15_000);
  const awayMs = random.between(TARGETS_AWAY_MS.least, TARGETS_AWAY_MS.most);
  const all: readonly [Disturbance, ...Disturbance[]] = [
    { break: 'kill', process },
    { break: 'kill', process },
    { break: 'kill', process: random.pick(SERVERS) },
    { break: 'kill-runs', program: 'terraform' },
    { break: 'kill-runs', program: random.pick(['terraform', 'rke']) },
    { break: 'freeze', process, forMs: 2 * leaseMs },
    { break: 'freeze', process: random.pick(SERVERS), forMs },
    { break: 'nats-down', forMs },
    { break: 'cut-answer', service },
    { break: 'cut-answer', service },
    { break: 'cut-connections' },
    { break: 'fault', fault: aFault(random), forMs },
    { break: 'fault', fault: aFault(random), forMs },
    { break: 'slow-cloud', scale: random.between(1, 3), forMs },
    { break: 'clock', service, offsetMs: random.pick([TEN_MINUTES_MS, -TEN_MINUTES_MS]), forMs: 2 * forMs },
    { break: 'disk-full', disk: random.pick(['terraform', 'postgres']), forMs },
    { break: 'meddle', how: random.pick(MEDDLINGS), nth: random.between(0, 99) },
    { break: 'target-down', forMs: awayMs },
    { break: 'target-expired', forMs: awayMs },
    ...(hosts > 1 ? hostsDown(random) : []),
  ];
  return random.pick(all);
}

/** Some stand still for longer than a host's runs keep their rights without a sign of life. */
function hostsDown(random: Prng): readonly Disturbance[] {
  const down = [1, 2, 3].map(() => ({ break: 'host-down', forMs: random.between(5_000, LONGEST_SILENCE_MS) }) as const);
  return [...down, { break: 'host-lost' }];
}

function aFault(random: Prng): Readonly<Record<string, unknown>> {
  const probability = random.pick([0.1, 0.3, 1]);
  return random.pick([
    { kind: 'throttle', probability },
    { kind: 'server-error', probability },
    { kind: 'timeout-after-success', probability },
    { kind: 'eventual-consistency', delayMs: random.between(500, 5_000) },
    { kind: 'slow-deletion', delayMs: random.between(500, 5_000) },
    { kind: 'quota', type: 'aws_instance', limit: random.between(0, 4) },
    { kind: 'capacity' },
    { kind: 'credentials' },
    { kind: 'unauthorized' },
  ]);
}
