import { apiVersionOf, POLICY, POLICY_WAIVER, type KubeList, type Policy, type PolicyWaiver } from '@crate/api';
import { badRequest, hasCode } from '@crate/errors';
import { catalogued, type ActiveWaiver, type CataloguedPolicy } from '@crate/policy-engine';
import type { ApiClient } from '../client/api-client.js';
import { asPolicy, readPolicyFiles } from './policy-files.js';

/** Rules that documents are judged by, and where they are from. */
export interface RulesAtHand {
  readonly policies: readonly CataloguedPolicy[];
  readonly origin: string;
  /** Of a Project; asked for once for each. */
  readonly waiversIn: (project: string) => Promise<readonly ActiveWaiver[]>;
}

const NO_WAIVERS = (): Promise<readonly ActiveWaiver[]> => Promise.resolve([]);

/** The rules of files. Throws BadRequest when there are none. */
export async function rulesOfFiles(paths: readonly string[], origin = paths.join(', ')): Promise<RulesAtHand> {
  const { policies } = await readPolicyFiles(paths);
  if (policies.length === 0) throw badRequest(`There are no rules in ${paths.join(', ')}`);
  return {
    policies: policies.map((policy) => catalogued(asPolicy(policy))),
    origin,
    waiversIn: NO_WAIVERS,
  };
}

/** The rules in force at an API, with its waivers as far as the person may read them. */
export async function rulesOfApi(api: ApiClient): Promise<RulesAtHand> {
  const { items } = await api.get<KubeList<Policy>>(`/apis/${apiVersionOf(POLICY)}/${POLICY.plural}`);
  const known = new Map<string, Promise<readonly ActiveWaiver[]>>();
  return {
    policies: items.map((policy) => catalogued(policy)),
    origin: api.server,
    waiversIn: (project) => {
      const waivers = known.get(project) ?? waiversOf(api, project);
      known.set(project, waivers);
      return waivers;
    },
  };
}

async function waiversOf(api: ApiClient, project: string): Promise<readonly ActiveWaiver[]> {
  const path = `/apis/${apiVersionOf(POLICY_WAIVER)}/namespaces/${encodeURIComponent(project)}/${POLICY_WAIVER.plural}`;
  try {
    return (await api.get<KubeList<PolicyWaiver>>(path)).items.flatMap((waiver) => activeOf(waiver) ?? []);
  } catch (error) {
    if (!hasCode(error, 'Forbidden', 'NotFound')) throw error;
    console.error(`crate: Judging without the waivers of "${project}", which you may not read`);
    return [];
  }
}

/** Undefined while it is not approved, and once it was taken back. */
function activeOf({ metadata, spec, status }: PolicyWaiver): ActiveWaiver | undefined {
  if (status?.approvedAt === undefined || status.revoked || metadata.deletionTimestamp) return undefined;
  const { name, namespace = '' } = metadata;
  const { policies, clusters, fields, expiresAt } = spec;
  const isByPlatform = (status.approvals ?? []).some((approval) => approval.as === 'PlatformAdmin');
  return {
    namespace,
    name,
    policies,
    ...(clusters ? { clusters } : {}),
    ...(fields ? { fields } : {}),
    expiresAtMs: Date.parse(expiresAt),
    authority: isByPlatform ? 'PlatformAdmin' : 'ProjectAdmin',
  };
}
