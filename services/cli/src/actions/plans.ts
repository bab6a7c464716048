import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { apiVersionOf, CLUSTER, findCondition, isApproved, PLAN, type Plan } from '@crate/api';
import { badRequest, hasCode, PlatformError, timeout } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { overOutages } from '../client/passing.js';
import { waitUntil } from '../up/wait.js';
import { whileItGoesOn } from '../interruption.js';
import { formatDuration } from '../objects/duration.js';
import { readGivenText } from '../output/in-file.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { oneLine } from '../output/visible.js';
import { yamlValues } from '../output/yaml-values.js';
import { planReport } from './plan-report.js';

interface PlanName {
  readonly namespace: string;
  readonly name: string;
  readonly output: OutputFormat;
  /** How a line to copy ends that asks the same API. */
  readonly apiFlags: string;
}

interface NewPlan extends Omit<PlanName, 'name'> {
  readonly cluster: string;
  readonly filename?: string;
  readonly destroy: boolean;
  readonly ttl?: string;
  readonly wait: boolean;
  /** How long. */
  readonly timeoutMs: number;
}

const NAME_BYTES = 3;

/** Makes a plan, and shows it once it is worked out when `wait` says so. */
export async function makePlan(api: ApiClient, options: NewPlan): Promise<void> {
  const { namespace, cluster, ttl, destroy, filename, wait, output, apiFlags, timeoutMs } = options;
  const wish = destroy ? { destroy: true } : { wanted: await wantedSpec(filename ?? '-', cluster) };
  const name = `${cluster}-${randomBytes(NAME_BYTES).toString('hex')}`;
  const plan = await api.create<Plan>(collection(namespace), {
    apiVersion: apiVersionOf(PLAN),
    kind: PLAN.kind,
    metadata: { name, namespace },
    spec: { clusterRef: { name: cluster }, ...wish, ...(ttl === undefined ? {} : { ttl }) },
  });
  if (!wait) {
    print(plan, options);
    return console.error(
      `Once it is worked out, see what it leads to with: ${lookAgain({ name, namespace, apiFlags })}`,
    );
  }
  console.error('Working out what it leads to …');
  const known = await until(api, { namespace, name, apiFlags }, timeoutMs, (found) => phaseOf(found) !== 'Pending');
  print(known, options);
  requireNot(known, output, ['Refused', 'Failed']);
}

/** Shows a plan as it is. */
export async function showPlan(api: ApiClient, plan: PlanName): Promise<void> {
  print(await api.get<Plan>(pathOf(plan)), plan);
}

/** Says what a plan leads to, approves that very one, and waits until it is carried out when `wait` says so; throws when it is not. */
export async function approvePlan(api: ApiClient, plan: PlanName & Pick<NewPlan, 'wait' | 'timeoutMs'>): Promise<void> {
  const { metadata, status } = await api.get<Plan>(pathOf(plan));
  const by = status?.plannedBy === undefined ? '' : `, which ${status.plannedBy} made`;
  const summary = status?.summary ?? 'nobody knows yet what it leads to';
  console.error(oneLine(`Approving plan "${plan.name}"${by}: ${summary}`));
  const approved = await api.create<Plan>(`${pathOf(plan)}/approve`, { uid: metadata.uid });
  if (!plan.wait) return print(approved, plan);
  console.error('Carrying it out …');
  const done = await until(api, plan, plan.timeoutMs, (found) => found.status?.end !== undefined);
  print(done, plan);
  requireNot(done, plan.output, ['Refused', 'Failed', 'Expired']);
}

/** What cannot be rejected: it was decided on, and stays as a record. */
const DECIDED: readonly string[] = ['Approved', 'Executing', 'Executed', 'Failed'];

/** Gives a plan up that nobody has approved: deletes it. Throws Conflict for one that was approved, be it just now. */
export async function rejectPlan(api: Pick<ApiClient, 'get' | 'removeExisting'>, plan: PlanName): Promise<void> {
  const found = await api.get<Plan>(pathOf(plan));
  const phase = isApproved(found) ? 'Approved' : phaseOf(found);
  if (DECIDED.includes(phase)) {
    const details = { remedy: `To take it out of the list: crate delete plan ${linePart(plan)}` };
    throw new PlatformError('Conflict', `Plan "${plan.name}" cannot be rejected: it is ${phase}`, { details });
  }
  const { uid, resourceVersion } = found.metadata;
  try {
    await api.removeExisting(pathOf(plan), { uid, resourceVersion });
  } catch (error) {
    if (!hasCode(error, 'Conflict')) throw error;
    const details = { remedy: `See how it stands now: ${lookAgain(plan)}` };
    throw new PlatformError('Conflict', `Plan "${plan.name}" was changed meanwhile`, { cause: error, details });
  }
  const { clusterRef } = found.spec;
  printAs(plan.output, found, () => [`Plan "${plan.name}" is rejected; cluster "${clusterRef.name}" stays as it is`]);
}

/** The spec of the Cluster in a file of documents. */
async function wantedSpec(filename: string, cluster: string): Promise<unknown> {
  const content = filename === '-' ? await text(process.stdin) : await readGivenText(filename);
  const found = (yamlValues(content, filename) as readonly (Partial<Plan> | null)[]).find(
    (document) => document?.kind === CLUSTER.kind && document.metadata?.name === cluster,
  );
  if (found?.spec === undefined) throw badRequest(`${filename} has no Cluster "${cluster}" with a spec`);
  return found.spec;
}

type Named = Pick<PlanName, 'namespace' | 'name' | 'apiFlags'>;

async function until(api: ApiClient, plan: Named, withinMs: number, holds: (plan: Plan) => boolean): Promise<Plan> {
  let found: Plan | undefined;
  const isThere = async (): Promise<boolean> => {
    found = await api.get<Plan>(pathOf(plan));
    return holds(found);
  };
  const note = `The platform goes on with plan "${plan.name}"; look again with: ${lookAgain(plan)}`;
  if ((await whileItGoesOn(note, async () => waitUntil(overOutages(isThere), withinMs))) && found) return found;
  throw timeout(
    `Plan "${plan.name}" took longer than ${formatDuration(withinMs)}; look again with: ${lookAgain(plan)}`,
  );
}

function lookAgain(plan: Named): string {
  return `crate plan show ${linePart(plan)}`;
}

/** Which plan, in a line to copy. */
function linePart({ name, namespace, apiFlags }: Named): string {
  return `${name} -n ${namespace}${apiFlags}`;
}

/** What the report for people says already is not said again. */
function requireNot(plan: Plan, output: OutputFormat, phases: readonly string[]): void {
  const phase = phaseOf(plan);
  if (!phases.includes(phase)) return;
  const ended = `Plan "${plan.metadata.name}" is ${phase}`;
  if (output === 'text') throw new PlatformError('Conflict', ended);
  const { end, failure } = plan.status ?? {};
  const { remedy } = failure ?? {};
  const details = remedy === undefined ? {} : { remedy };
  throw new PlatformError('Conflict', `${ended}: ${end?.message ?? ''}`, { details });
}

function phaseOf({ status }: Plan): string {
  return findCondition(status?.conditions, 'Ready')?.reason ?? 'Pending';
}

function print(plan: Plan, { output, apiFlags }: Pick<PlanName, 'output' | 'apiFlags'>): void {
  printAs(output, plan, () => [planReport(plan, apiFlags)]);
}

function collection(namespace: string): string {
  return `/apis/${apiVersionOf(PLAN)}/namespaces/${encodeURIComponent(namespace)}/${PLAN.plural}`;
}

function pathOf({ namespace, name }: Pick<Named, 'namespace' | 'name'>): string {
  return `${collection(namespace)}/${encodeURIComponent(name)}`;
}
