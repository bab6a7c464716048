type Version = readonly [major: number, minor: number, patch: number];

/**
 * Those of the versions that a cluster can be upgraded to, newest first: ahead of its own by at most a minor version, as
 * Kubernetes wants it and the policies `cluster-upgrade-one-minor` and `cluster-no-downgrade` enforce it. Pure.
 */
export function upgradeVersions(from: string, known: readonly string[]): readonly string[] {
  const [major, minor] = partsOf(from);
  const isNear = (version: string): boolean => {
    const [itsMajor, itsMinor] = partsOf(version);
    return itsMajor === major && itsMinor <= minor + 1;
  };
  return known
    .filter((version) => isNear(version) && compare(version, from) > 0)
    .toSorted((left, right) => compare(right, left));
}

function compare(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)];
  const place = a.findIndex((part, index) => part !== b[index]);
  return place < 0 ? 0 : (a[place] ?? 0) - (b[place] ?? 0);
}

function partsOf(version: string): Version {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, '').split('.').map(Number);
  return [major, minor, patch];
}
