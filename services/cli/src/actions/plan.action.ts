import type { Command } from 'commander';
import { CLUSTER, planText, runPlanSchema } from '@crate/api';
import { badRequest } from '@crate/errors';
import { apiOf } from '../client/context.js';
import { apiFlags, type ApiOptions } from '../commands/api-options.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { approvePlan, makePlan, rejectPlan, showPlan } from './plans.js';
import { subresourcePath } from '../objects/object-path.js';
import type { WorkedObject } from '../commands/worked-object.js';

/** As its option says. */
const PLANNED_MS = 180_000;

interface Common extends ApiOptions {
  readonly namespace: string;
  readonly output: OutputFormat;
}

interface PlanOptions extends Common {
  readonly filename?: string;
  readonly destroy?: true;
  readonly ttl?: string;
  readonly wait?: true;
  readonly timeout?: number;
}

export async function runPlan(object: WorkedObject, options: PlanOptions): Promise<void> {
  const isNew = options.filename !== undefined || options.destroy === true;
  if (isNew) await planAhead(object, options);
  else await showRun(object, options);
}

export async function runShow(name: string, _own: Common, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Common>();
  await showPlan(await apiOf(options), { ...options, name, apiFlags: apiFlags(options) });
}

export async function runApprove(name: string, _own: Common, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Common & { readonly wait?: true; readonly timeout: number }>();
  const [wait, timeoutMs] = [options.wait === true, options.timeout];
  await approvePlan(await apiOf(options), { ...options, wait, timeoutMs, name, apiFlags: apiFlags(options) });
}

export async function runReject(name: string, _own: Common, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Common>();
  await rejectPlan(await apiOf(options), { ...options, name, apiFlags: apiFlags(options) });
}

async function planAhead({ kind, name: cluster }: WorkedObject, options: PlanOptions): Promise<void> {
  if (kind.kind !== CLUSTER.kind)
    throw badRequest('Only changes of clusters can be planned: crate plan cluster/NAME -f FILE');
  const { filename, destroy = false, ttl, wait = false, timeout: timeoutMs = PLANNED_MS, output, namespace } = options;
  await makePlan(await apiOf(options), {
    cluster,
    namespace,
    wait,
    timeoutMs,
    output,
    destroy,
    apiFlags: apiFlags(options),
    ...(filename === undefined ? {} : { filename }),
    ...(ttl === undefined ? {} : { ttl }),
  });
}

async function showRun(object: WorkedObject, options: PlanOptions): Promise<void> {
  const api = await apiOf(options);
  const plan = await api.get<unknown>(subresourcePath(object, options.namespace, 'plan'));
  printAs(options.output, plan, () => [planText(runPlanSchema.parse(plan))]);
}
