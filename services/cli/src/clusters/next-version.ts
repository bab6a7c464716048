type Version = readonly [major: number, minor: number, patch: number];

/** The newest of the versions that is ahead of this one by at most a minor version, as Kubernetes wants it; undefined when there is none. */
export function nextVersion(from: string, known: readonly string[]): string | undefined {
  const [major, minor] = partsOf(from);
  const near = known.filter((version) => {
    const [itsMajor, itsMinor] = partsOf(version);
    return itsMajor === major && itsMinor <= minor + 1 && isNewer(version, from);
  });
  return near.reduce<string | undefined>(
    (best, each) => (best !== undefined && isNewer(best, each) ? best : each),
    undefined,
  );
}

function isNewer(left: string, right: string): boolean {
  const [a, b] = [partsOf(left), partsOf(right)];
  const place = a.findIndex((part, index) => part !== b[index]);
  return place >= 0 && (a[place] ?? 0) > (b[place] ?? 0);
}

function partsOf(version: string): Version {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, '').split('.').map(Number);
  return [major, minor, patch];
}
