import type { PolicyOperation, PolicyStage } from '@crate/api';
import { badRequest } from '@crate/errors';
import { shippedPacksDir } from '../config.js';
import { evaluationLines } from '../policy/evaluation-report.js';
import { evaluateFiles } from '../policy/evaluation.js';
import { rulesOfApi, rulesOfFiles, type RulesAtHand } from '../policy/rules-at-hand.js';
import { print, type OutputFormat } from '../policy/structured-output.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';

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

export async function runPolicyEval(options: EvalOptions): Promise<void> {
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
}

/** Naming an API is asking for its rules. */
async function rulesFor(options: EvalOptions): Promise<RulesAtHand> {
  const { policies, server, kubeconfig, context, dataDir } = options;
  const isOfApi = server === true || [kubeconfig, context, dataDir].some((option) => option !== undefined);
  if (isOfApi && policies) throw badRequest('Give either --policies or an API (--server), not both');
  if (isOfApi) return rulesOfApi(await apiOf(options));
  return policies ? rulesOfFiles(policies) : rulesOfFiles([shippedPacksDir()], 'the packs that ship');
}
