import { Command, InvalidArgumentError, Option } from 'commander';
import { POLICY_STAGES } from './api-values.js';
import { formatOption } from './format-option.js';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate policy eval`: which rules fire for a document, and the values that decided. */
export function policyEvalCommand(): Command {
  const command = new Command('eval')
    .description(
      'Show which rules a document breaks and why, with the values that decided; fails when it would be denied',
    )
    .requiredOption(
      '-f, --filename <files...>',
      'Clusters, Terraform plans as JSON, engine configurations, Kubernetes objects; - is the standard input',
    )
    .option('--policies <paths...>', 'rules of these files and directories; default: the packs that ship')
    .option('--server', 'the rules in force at the current API, with the waivers there')
    .addOption(
      new Option('--stage <stage>', 'what kind of document it is; default: as it looks').choices(POLICY_STAGES),
    )
    .addOption(
      new Option('--operation <operation>', 'what is done').choices(['CREATE', 'UPDATE', 'DELETE']).default('CREATE'),
    )
    .option('-n, --project <name>', 'Project that it is for; default: the namespace of a Cluster, or "default"')
    .option('--cluster <name>', 'Cluster that it belongs to')
    .option('--provider <name>', 'cloud provider, such as aws')
    .option('--engine <name>', 'engine, such as rke')
    .option('--label <key=value>', 'label of the Cluster; may be repeated', toLabels)
    .option('--all', 'also the rules that it satisfies, and those that are not about it and why')
    .addOption(formatOption('text'));
  return withApiOptions(command).action(
    lazily(async () => (await import('../actions/policy-eval.action.js')).runPolicyEval),
  );
}

function toLabels(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('want key=value');
  return { ...before, [key]: value };
}
