import { Command, Option } from 'commander';
import { planText, runPlanSchema } from '@crate/api';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { parseWorkedObject, subresourcePath, type WorkedObject } from './worked-object.js';

interface PlanOptions extends ApiOptions {
  readonly namespace: string;
  readonly output: 'text' | 'json';
}

/** `crate plan`: what the newest run changes, or has changed, in the cloud. */
export function planCommand(): Command {
  return withApiOptions(
    new Command('plan').description('Show what the newest run changes in the cloud, and what became of it'),
  )
    .argument('<object>', 'cluster/NAME or infrastructure/NAME', parseWorkedObject)
    .requiredOption('-n, --namespace <project>', 'Project of the cluster')
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action(async (object: WorkedObject, options: PlanOptions) => {
      const api = await apiOf(options);
      const plan = await api.get<unknown>(subresourcePath(object, options.namespace, 'plan'));
      process.stdout.write(
        options.output === 'json' ? `${JSON.stringify(plan, undefined, 2)}\n` : planText(runPlanSchema.parse(plan)),
      );
    });
}
