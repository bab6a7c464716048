import { hasCode } from '@crate/errors';
import type { Caller, KindInfo, ResourceRouter } from '@crate/resource-client';
import type { Authorize } from '../http/authorization.js';
import { discovered } from '../discovery/verbs.js';

/** A rule as `kubectl auth can-i --list` prints it. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
}

export interface RulesInput {
  readonly router: ResourceRouter;
  readonly authorize: Authorize;
  readonly caller: Caller;
  readonly namespace: string;
}

/** What a caller may do in a namespace, found by asking for every verb of every kind. */
export async function rulesFor(input: RulesInput): Promise<readonly ResourceRule[]> {
  const rules: ResourceRule[] = [];
  for (const kind of input.router.kinds()) {
    const { verbs: offered, subresources } = discovered(kind);
    const targets = [{ verbs: offered }, ...subresources.map(({ name, verbs }) => ({ subresource: name, verbs }))];
    for (const target of targets) {
      const verbs = await allowedVerbs(input, kind, target);
      const resource = 'subresource' in target ? `${kind.plural}/${target.subresource}` : kind.plural;
      if (verbs.length > 0) rules.push({ verbs, apiGroups: [kind.group], resources: [resource] });
    }
  }
  return rules;
}

async function allowedVerbs(
  { authorize, caller, namespace }: RulesInput,
  kind: KindInfo,
  target: { readonly subresource?: string; readonly verbs: readonly string[] },
): Promise<readonly string[]> {
  const { group, version, plural: resource, namespaced } = kind;
  const allowed: string[] = [];
  for (const verb of target.verbs) {
    const { subresource } = target;
    const scope = { ...(namespaced ? { namespace } : {}), ...(subresource === undefined ? {} : { subresource }) };
    try {
      await authorize(caller, { verb, group, version, resource, ...scope });
      allowed.push(verb);
    } catch (error) {
      if (!hasCode(error, 'Forbidden')) throw error;
    }
  }
  return allowed;
}
