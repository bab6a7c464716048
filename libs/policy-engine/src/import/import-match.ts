import type { PolicyOperation } from '@crate/api';
import type { MatchResources, Selector } from './admission-policy.js';
import { kindsOfPlural } from './built-in-kinds.js';
import type { Unsupported } from './unsupported.js';

type Rule = MatchResources['resourceRules'][number];

/** What of a `match` the rules over resources say. */
export interface ImportedMatch {
  /** Absent: all. */
  readonly kinds?: readonly string[];
  readonly operations: readonly PolicyOperation[];
}

/** Where resources are told to kinds that are not Kubernetes' own: `plural.group` to kind. */
export type StatedKinds = Readonly<Record<string, string>>;

const ALL: readonly PolicyOperation[] = ['CREATE', 'UPDATE', 'DELETE'];

/** One match for each set of operations: rules over resources may differ in them, a Policy has one. */
export function matchesOf(
  rules: readonly Rule[],
  kinds: StatedKinds,
  unsupported: Unsupported,
): readonly ImportedMatch[] {
  const byOperations = new Map<string, { operations: readonly PolicyOperation[]; kinds: Set<string> }>();
  for (const [index, rule] of rules.entries()) {
    const path = `spec.matchConstraints.resourceRules[${index}]`;
    if (rule.resourceNames.length > 0) unsupported.note('resourceNames', `${path}.resourceNames`);
    const operations = operationsOf(rule, path, unsupported);
    if (operations.length === 0) continue;
    const entry = byOperations.get(operations.join()) ?? { operations, kinds: new Set() };
    for (const kind of kindsOf(rule, { path, kinds, unsupported })) entry.kinds.add(kind);
    byOperations.set(operations.join(), entry);
  }
  return [...byOperations.values()].flatMap((entry): readonly ImportedMatch[] => {
    if (entry.kinds.size === 0) return [];
    return [{ operations: entry.operations, ...(entry.kinds.has('*') ? {} : { kinds: [...entry.kinds] }) }];
  });
}

function operationsOf({ operations }: Rule, path: string, unsupported: Unsupported): readonly PolicyOperation[] {
  if (operations.includes('*')) return ALL;
  if (operations.includes('CONNECT')) unsupported.note('CONNECT', `${path}.operations`, 'connections are no documents');
  return ALL.filter((operation) => operations.includes(operation));
}

interface Circumstances {
  readonly path: string;
  readonly kinds: StatedKinds;
  readonly unsupported: Unsupported;
}

function kindsOf({ resources, apiGroups }: Rule, at: Circumstances): readonly string[] {
  return resources.flatMap((resource) => {
    if (resource === '*' || resource === '*/*') return apiGroups.map((group) => (group === '*' ? '*' : `${group}/*`));
    // What is changed there is the pod.
    if (resource === 'pods/ephemeralcontainers') return kindsOfResource('pods', '', at);
    if (resource.includes('/')) {
      at.unsupported.note('subresources', `${at.path}.resources`, `"${resource}" is a subresource, no document`);
      return [];
    }
    return apiGroups.flatMap((group) => kindsOfResource(resource, group, at));
  });
}

/** Kinds of the core group are named without one. */
function kindsOfResource(
  plural: string,
  group: string,
  { path, kinds, unsupported }: Circumstances,
): readonly string[] {
  const named = (of: string, kind: string): string => (of === '' || of === '*' ? kind : `${of}/${kind}`);
  const stated = kinds[group === '' ? plural : `${plural}.${group}`] ?? kinds[plural];
  if (stated !== undefined) return [named(group, stated)];
  const known = kindsOfPlural(plural).filter((found) => group === '*' || found.group === group);
  if (known.length > 0) return known.map((found) => named(group === '*' ? '*' : found.group, found.kind));
  const resource = group === '' || group === '*' ? plural : `${plural}.${group}`;
  unsupported.refuse(
    `${path}.resources`,
    `The kind of "${resource}" is not known: state it with --kind ${resource}=KIND`,
  );
  return [];
}

/** Conditions on the namespace. It can be told by its name alone: that is in a document, labels of its namespace are not. */
export function namespaceConditions(
  selector: Selector | undefined,
  path: string,
  unsupported: Unsupported,
): readonly string[] {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  const parts = [...labels, ...(selector?.matchExpressions ?? [])];
  const byName = parts.filter(({ key, operator }) => key === NAME_LABEL && (operator === 'In' || operator === 'NotIn'));
  if (byName.length < parts.length)
    unsupported.note(
      'namespaceSelector',
      path,
      `only ${NAME_LABEL} can be selected by: a document does not tell the labels of its namespace`,
    );
  return byName.map(({ operator, values = [] }) =>
    // What is in no namespace is never left out.
    operator === 'In'
      ? `${NAMESPACE} in ${JSON.stringify(['', ...values])}`
      : `!(${NAMESPACE} in ${JSON.stringify(values)})`,
  );
}

/** As Kubernetes selects: a Namespace is of itself. */
const NAMESPACE = '(request.kind.group == "" && request.kind.kind == "Namespace" ? request.name : request.namespace)';

const NAME_LABEL = 'kubernetes.io/metadata.name';
