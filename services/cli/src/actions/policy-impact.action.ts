import { apiVersionOf, POLICY, POLICY_IMPACT_REVIEW, type PolicyImpact, type PolicyImpactReview } from '@crate/api';
import { badRequest, invariant } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { impactLines } from '../policy/impact-report.js';
import { readPolicyFiles } from '../policy/policy-files.js';
import { print, type OutputFormat } from '../policy/structured-output.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';

interface ImpactOptions extends ApiOptions {
  readonly filename: readonly string[];
  readonly remove: readonly string[];
  readonly failOnDenied?: true;
  readonly output: OutputFormat;
}

/** What one change would lead to. */
interface ToldImpact extends PolicyImpact {
  readonly policy: string;
}

export async function runPolicyImpact(options: ImpactOptions): Promise<void> {
  const { filename, remove, failOnDenied = false, output } = options;
  const { policies } = await readPolicyFiles(filename);
  if (policies.length + remove.length === 0) throw badRequest('Give rules with -f FILE, or names with --remove');
  const api = await apiOf(options);
  const told: ToldImpact[] = [];
  for (const { name, spec } of policies) {
    told.push(await impactOf(api, name, { ...((await isStored(api, name)) ? { name } : {}), policy: spec }));
  }
  for (const name of remove) told.push(await impactOf(api, name, { name }));
  print(
    output,
    told.flatMap((impact) => impactLines(impact.policy, impact)),
    { impacts: told },
  );
  if (failOnDenied && told.some(({ counts }) => counts.newlyDenied > 0)) process.exitCode = 1;
}

async function isStored(api: ApiClient, name: string): Promise<boolean> {
  return (await api.find(`/apis/${apiVersionOf(POLICY)}/${POLICY.plural}/${encodeURIComponent(name)}`)) !== undefined;
}

async function impactOf(api: ApiClient, policy: string, spec: PolicyImpactReview['spec']): Promise<ToldImpact> {
  const { kind, plural } = POLICY_IMPACT_REVIEW;
  const apiVersion = apiVersionOf(POLICY_IMPACT_REVIEW);
  const question = { apiVersion, kind, metadata: { name: policy }, spec };
  const review = await api.create<PolicyImpactReview>(`/apis/${apiVersion}/${plural}`, question);
  if (!review.status) throw invariant('The API answered a PolicyImpactReview without a status');
  return { policy, ...review.status };
}
