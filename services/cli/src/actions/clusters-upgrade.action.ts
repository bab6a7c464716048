import { randomBytes } from 'node:crypto';
import {
  apiVersionOf,
  findCondition,
  madeSpecOf,
  PLAN,
  SUPPORTED_KUBERNETES_VERSIONS,
  upgradeVersions,
  type Cluster,
  type Plan,
} from '@crate/api';
import { badRequest, hasCode, PlatformError, timeout } from '@crate/errors';
import { overOutages } from '../client/passing.js';
import { askToGoOn } from '../clusters/ask.js';
import { versionOf } from '../clusters/cluster-document.js';
import { clusterAt, type ClusterAt } from '../clusters/cluster-at.js';
import type { WritingOptions } from '../clusters/cluster-options.js';
import { untilReady, whileClusterGoesOn } from '../clusters/until-ready.js';
import { whileItGoesOn } from '../interruption.js';
import { formatDuration } from '../objects/duration.js';
import { printObject } from '../objects/object-output.js';
import { printAs, say } from '../output/print.js';
import { waitUntil } from '../up/wait.js';
import { consequencesReport } from './plan-report.js';

const PLANNED_MS = 180_000;
const NAME_BYTES = 3;

interface UpgradeOptions extends WritingOptions {
  readonly to?: string;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly wait?: true;
  readonly timeout: number;
}

interface Moving extends UpgradeOptions {
  readonly from: string;
  readonly to: string;
}

export async function runClustersUpgrade(name: string, options: UpgradeOptions): Promise<void> {
  const at = await clusterAt(name, options);
  const spec = madeSpecOf(await at.api.get<Cluster>(at.path));
  if (!spec) throw badRequest(`Cluster "${name}" was there before Crate: those who keep it upgrade it`);
  const { engine, version: from } = spec.kubernetes;
  const [newest] = upgradeVersions(from, SUPPORTED_KUBERNETES_VERSIONS[engine]);
  const to = options.to === undefined ? newest : versionOf(options.to);
  const so = `Cluster "${name}" has ${from}`;
  if (to === from) return sayNothingToDo(options, `${so} already`);
  if (to === undefined) return sayNothingToDo(options, `${so}, and that is the newest it can move to`);
  await upgrade(at, { ...options, from, to });
}

function sayNothingToDo({ output }: UpgradeOptions, why: string): void {
  say(output, why);
  printAs(output, null, () => []);
}

async function upgrade(at: ClusterAt, options: Moving): Promise<void> {
  const { from, to, output } = options;
  const { path, plan } = await planned(at, { kubernetes: { version: to } });
  say(output, consequencesReport(plan).replace(/\n$/, ''));
  try {
    requireReady(plan);
    if (!options.dryRun) await askToGoOn(`Move cluster "${at.name}" from ${from} to ${to}?`, options);
  } catch (error) {
    // Nobody is going to approve it.
    await at.api.remove(path);
    throw error;
  }
  if (options.dryRun) {
    await at.api.remove(path);
    return printObject(output, plan);
  }
  printObject(output, await approve(at, path, plan));
  say(output, `Cluster "${at.name}" is being moved from ${from} to ${to}`);
  if (!options.wait) return;
  await whileClusterGoesOn(at, async () => untilMoved(at, path, options));
  say(output, `Cluster "${at.name}" is Ready with ${to}`);
}

async function planned(at: ClusterAt, changes: object): Promise<{ path: string; plan: Plan }> {
  const { api, namespace, name, apiFlags } = at;
  const collection = `/apis/${apiVersionOf(PLAN)}/namespaces/${encodeURIComponent(namespace)}/${PLAN.plural}`;
  const planName = `${name}-${randomBytes(NAME_BYTES).toString('hex')}`;
  const path = `${collection}/${planName}`;
  let plan = await api.create<Plan>(collection, {
    apiVersion: apiVersionOf(PLAN),
    kind: PLAN.kind,
    metadata: { name: planName, namespace },
    spec: { clusterRef: { name }, changes },
  });
  console.error('Working out what it leads to …');
  const isKnown = async (): Promise<boolean> => {
    plan = await api.get<Plan>(path);
    return phaseOf(plan) !== 'Pending';
  };
  const again = `look again with: crate plan show ${planName} -n ${namespace}${apiFlags}`;
  const note = `Nothing is changed; the plan stays: ${again}`;
  if (await whileItGoesOn(note, async () => waitUntil(overOutages(isKnown), PLANNED_MS))) return { path, plan };
  throw timeout(`What it leads to is not known yet; ${again}`);
}

function requireReady(plan: Plan): void {
  if (phaseOf(plan) === 'Ready') return;
  const { end, failure } = plan.status ?? {};
  const details = failure?.remedy === undefined ? {} : { remedy: failure.remedy };
  throw new PlatformError('Conflict', `It cannot be done: ${end?.message ?? phaseOf(plan)}`, { details });
}

/** Where another person has to approve, the plan is left to them. */
async function approve({ api, namespace, apiFlags }: ClusterAt, path: string, { metadata }: Plan): Promise<Plan> {
  const { name, uid } = metadata;
  try {
    return await api.create<Plan>(`${path}/approve`, { uid });
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    console.error(`The plan stays; somebody who may: crate plan approve ${name} -n ${namespace}${apiFlags}`);
    throw error;
  }
}

/** Throws Timeout once the time for all of it is over. */
async function untilMoved(at: ClusterAt, path: string, options: Moving): Promise<void> {
  // The clock of timers: it stands still with them while a laptop sleeps.
  const until = performance.now() + options.timeout;
  const leftMs = (): number => Math.max(until - performance.now(), 0);
  await untilBegun(at, path, options, leftMs());
  await untilReady(at, options.timeout, leftMs());
  await untilExecuted(at, path, options, leftMs());
}

/** Waits until the cluster is asked for the version. Throws Conflict when the plan ends before. */
async function untilBegun(at: ClusterAt, path: string, options: Moving, leftMs: number): Promise<void> {
  const isBegun = async (): Promise<boolean> => {
    requireGoing(await at.api.get<Plan>(path));
    return (await at.api.get<Cluster>(at.path)).spec.kubernetes.version === options.to;
  };
  if (!(await waitUntil(overOutages(isBegun), leftMs)))
    throw timeout(`The plan is not begun after ${formatDuration(options.timeout)}`);
}

/** Waits until all of the plan is done: a cluster is Ready before that. */
async function untilExecuted({ api }: ClusterAt, path: string, options: Moving, leftMs: number): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const plan = await api.get<Plan>(path);
    requireGoing(plan);
    return phaseOf(plan) === 'Executed';
  };
  if (!(await waitUntil(overOutages(isDone), leftMs)))
    throw timeout(`The plan is not done after ${formatDuration(options.timeout)}`);
}

function requireGoing(plan: Plan): void {
  const phase = phaseOf(plan);
  if (['Ready', 'Approved', 'Executing', 'Executed'].includes(phase)) return;
  throw new PlatformError('Conflict', `It was not carried out: ${plan.status?.end?.message ?? phase}`);
}

function phaseOf({ status }: Plan): string {
  return findCondition(status?.conditions, 'Ready')?.reason ?? 'Pending';
}
