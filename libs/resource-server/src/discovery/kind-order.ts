import type { KindInfo } from '@crate/resource-client';

/** One group with its versions, the preferred one first. */
export interface GroupKinds {
  readonly group: string;
  readonly versions: readonly { readonly version: string; readonly kinds: readonly KindInfo[] }[];
}

/** Kinds by group and version; groups by name, versions by stability and age as Kubernetes prefers them. */
export function groupKinds(kinds: readonly KindInfo[]): readonly GroupKinds[] {
  const groups = [...new Set(kinds.map((kind) => kind.group))].sort();
  return groups.map((group) => {
    const own = kinds.filter((kind) => kind.group === group);
    const versions = [...new Set(own.map((kind) => kind.version))].sort(byPreference);
    return {
      group,
      versions: versions.map((version) => ({ version, kinds: own.filter((k) => k.version === version) })),
    };
  });
}

/** Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority */
function byPreference(left: string, right: string): number {
  const a = rank(left);
  const b = rank(right);
  const difference = a.map((value, index) => (b[index] ?? 0) - value).find((value) => value !== 0);
  return difference ?? (left < right ? -1 : 1);
}

function rank(version: string): readonly number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0];
  const [, major = '0', stage, minor = '0'] = match;
  const stability = stage === undefined ? 3 : stage === 'beta' ? 2 : 1;
  return [stability, Number(major), Number(minor)];
}
