import { Command, InvalidArgumentError, Option } from 'commander';
import { POLICY_STAGES, type PolicyOperation, type PolicyStage } from '@crate/api';
import { badRequest } from '@crate/errors';
import { shippedPacksDir } from '../config.js';
import { evaluationLines } from '../policy/evaluation-report.js';
import { evaluateFiles } from '../policy/evaluation.js';
import { rulesOfApi, rulesOfFiles, type RulesAtHand } from '../policy/rules-at-hand.js';
import { outputOption, print, type OutputFormat } from '../policy/structured-output.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';

interface EvalOptions extends ApiOptions {
  readonly filename: readonly string[];
  readonly policies?: readonly string[];
  readonly server?: true;
  readonly stage?: PolicyStage;
  readonly operation?: PolicyOperation;
  readonly project?: string;
  readonly cluster?: string;
  readonly provider?: string;
  readonly engine?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly all?: true;
  readonly output: OutputFormat;
}

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
    .option('--project <name>', 'Project that it is for; default: the namespace of a Cluster, or "default"')
    .option('--cluster <name>', 'Cluster that it belongs to')
    .option('--provider <name>', 'cloud provider, such as aws')
    .option('--engine <name>', 'engine, such as rke')
    .option('--label <key=value>', 'label of the Cluster; may be repeated', toLabels)
    .option('--all', 'also the rules that it satisfies, and those that are not about it and why')
    .addOption(outputOption());
  return withApiOptions(command).action(async (options: EvalOptions) => {
    const { filename, stage, operation, project, cluster, provider, engine, label, all = false, output } = options;
    const rules = await rulesFor(options);
    const subject = { namespace: project, cluster, provider, engine, labels: label };
    const documents = await evaluateFiles(filename, rules, { stage, operation, subject });
    const shown = documents.map((document) => ({
      ...document,
      rules: all ? document.rules : document.rules.filter(({ violations }) => violations.length > 0),
    }));
    const lines = documents.flatMap((document) => evaluationLines(document, all));
    print(output, [...lines, `Rules from ${rules.origin}`], { rulesFrom: rules.origin, documents: shown });
    if (!documents.every(({ allowed }) => allowed)) process.exitCode = 1;
  });
}

/** Naming an API is asking for its rules. */
async function rulesFor(options: EvalOptions): Promise<RulesAtHand> {
  const { policies, server, kubeconfig, context, dataDir } = options;
  const isOfApi = server === true || [kubeconfig, context, dataDir].some((option) => option !== undefined);
  if (isOfApi && policies) throw badRequest('Give either --policies or an API (--server), not both');
  if (isOfApi) return rulesOfApi(await apiOf(options));
  return policies ? rulesOfFiles(policies) : rulesOfFiles([shippedPacksDir()], 'the packs that ship');
}

function toLabels(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('want key=value');
  return { ...before, [key]: value };
}
