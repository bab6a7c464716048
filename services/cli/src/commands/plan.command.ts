import { Command } from 'commander';
import { CLUSTER, planText, runPlanSchema } from '@crate/api';
import { badRequest } from '@crate/errors';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';
import { approvePlan, makePlan, showPlan } from './plans.js';
import { parseWorkedObject, subresourcePath, type WorkedObject } from './worked-object.js';

interface Common extends ApiOptions {
  readonly namespace?: string;
  readonly output: OutputFormat;
}

interface PlanOptions extends Common {
  readonly filename?: string;
  readonly destroy?: true;
  readonly ttl?: string;
  readonly wait?: true;
}

/** `crate plan`: what a change leads to, before it is made; or what the newest run changes, or has changed. */
export function planCommand(): Command {
  return common(
    new Command('plan').description('Plan a change of a cluster, or show what the newest run changes in the cloud'),
  )
    .argument('<object>', 'cluster/NAME or infrastructure/NAME', parseWorkedObject)
    .option('-f, --filename <file>', 'plan this: the Cluster as it is to be, as YAML; - is the standard input')
    .option('--destroy', 'plan the deletion of the cluster')
    .option('--ttl <time>', 'how long the plan can be approved, such as 1h')
    .option('--wait', 'until the consequences are known, and show them')
    .action(async (object: WorkedObject, options: PlanOptions) => {
      const isNew = options.filename !== undefined || options.destroy === true;
      if (isNew) await planAhead(object, options);
      else await showRun(object, options);
    })
    .addCommand(showCommand())
    .addCommand(approveCommand());
}

/** Options of `plan` that its subcommands have as well are taken by `plan`, wherever they stand. */
function showCommand(): Command {
  return common(new Command('show').description('Show what a plan leads to'))
    .argument('<name>', 'name of the plan')
    .action(async (name: string, _own: Common, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      await showPlan(await apiOf(options), { ...options, namespace: namespaceOf(options), name });
    });
}

function approveCommand(): Command {
  return common(new Command('approve').description('Have a plan carried out, exactly as it is'))
    .argument('<name>', 'name of the plan')
    .option('--wait', 'until it is carried out; fails when it is not')
    .action(async (name: string, _own: Common, command: Command) => {
      const options = command.optsWithGlobals<Common & { readonly wait?: true }>();
      const wait = options.wait === true;
      await approvePlan(await apiOf(options), { ...options, wait, namespace: namespaceOf(options), name });
    });
}

function common(command: Command): Command {
  return withApiOptions(command)
    .option('-n, --namespace <project>', 'Project of the cluster')
    .addOption(formatOption('text'));
}

async function planAhead({ kind, name: cluster }: WorkedObject, options: PlanOptions): Promise<void> {
  if (kind !== CLUSTER) throw badRequest('Only changes of clusters can be planned: crate plan cluster/NAME -f FILE');
  const { filename, destroy = false, ttl, wait = false, output } = options;
  await makePlan(await apiOf(options), {
    cluster,
    namespace: namespaceOf(options),
    wait,
    output,
    destroy,
    ...(filename === undefined ? {} : { filename }),
    ...(ttl === undefined ? {} : { ttl }),
  });
}

async function showRun(object: WorkedObject, options: PlanOptions): Promise<void> {
  const api = await apiOf(options);
  const plan = await api.get<unknown>(subresourcePath(object, namespaceOf(options), 'plan'));
  printAs(options.output, plan, () => [planText(runPlanSchema.parse(plan))]);
}

/** Asked for here: commander would ask subcommands for the option of their parent. */
function namespaceOf({ namespace }: Common): string {
  if (namespace === undefined) throw badRequest('Give the Project of the cluster: -n PROJECT');
  return namespace;
}
