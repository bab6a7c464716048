import { CLUSTER, type PolicySpec, type PolicyStage } from '@crate/api';
import { memberTypesOf, type MemberTypes, type TypedVariable } from '@crate/cel';
import { kindInfoOf } from '@crate/resource-server';

/** What a request is about. Every member is a string and there, empty when it is not known, as in Kubernetes. */
const REQUEST: MemberTypes = {
  operation: 'string',
  stage: 'string',
  project: 'string',
  namespace: 'string',
  name: 'string',
  cluster: 'string',
  provider: 'string',
  engine: 'string',
  dryRun: 'bool',
  kind: { group: 'string', version: 'string', kind: 'string' },
  userInfo: { username: 'string', groups: 'list<string>' },
};

/** What every rule may use. */
const COMMON: readonly (string | TypedVariable)[] = ['oldObject', { name: 'request', members: REQUEST }];

/** Besides, parts of the document in a handy form. */
const PARTS: Readonly<Record<PolicyStage, readonly string[]>> = {
  ClusterSpec: [],
  TerraformPlan: ['resources', 'ingress'],
  EngineConfig: [],
  Manifest: ['pods', 'containers'],
};

const OBJECTS: Readonly<Partial<Record<PolicyStage, TypedVariable>>> = {
  ClusterSpec: {
    name: 'object',
    // What the server adds to metadata is not there yet when a cluster is judged.
    members: {
      ...memberTypesOf(kindInfoOf(CLUSTER).schema),
      apiVersion: 'string',
      kind: 'string',
      metadata: 'dyn',
    },
  },
};

/** Variables of the expressions of a rule at one stage, with the types that are known; first those that all rules of the stage share. */
export function variablesAt(
  stage: PolicyStage,
  { params, exceptions }: PolicySpec,
): readonly (string | TypedVariable)[] {
  const named = [params, ...exceptions.map((exception) => exception.params ?? {})].flatMap(Object.keys);
  const given = { name: 'params', members: Object.fromEntries(named.map((name) => [name, 'dyn'])) };
  return [OBJECTS[stage] ?? 'object', ...COMMON, ...PARTS[stage], given];
}

/** What stands for an item of `forEach`. */
export const ITEM_VARIABLES = ['item', 'index'] as const;
