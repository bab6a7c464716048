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

/** A rule about paths beside resources, as `kubectl auth can-i --list` prints it. */
export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface PathRulesInput extends Pick<RulesInput, 'authorize' | 'caller'> {
  readonly paths: readonly string[];
}

/** What a caller may do beside resources: everything, or to read the paths that are told, found by asking for each. */
export async function pathRulesFor({ authorize, caller, paths }: PathRulesInput): Promise<readonly PathRule[]> {
  const may = (verb: string, path: string): Promise<boolean> => isAllowed(authorize(caller, { verb, path }));
  if (await may('*', '*')) return [{ verbs: ['*'], nonResourceURLs: ['*'] }];
  const readable: string[] = [];
  for (const path of paths) if (await may('get', path)) readable.push(path);
  return readable.length === 0 ? [] : [{ verbs: ['get'], nonResourceURLs: readable }];
}

async function isAllowed(decision: Promise<void>): Promise<boolean> {
  try {
    await decision;
    return true;
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    return false;
  }
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
    if (await isAllowed(authorize(caller, { verb, group, version, resource, ...scope }))) allowed.push(verb);
  }
  return allowed;
}
