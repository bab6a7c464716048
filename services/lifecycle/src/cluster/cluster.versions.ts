import {
  EXISTING,
  isSupportedVersion,
  SUPPORTED_KUBERNETES_VERSIONS,
  upgradeVersions,
  type Cluster,
  type Engine,
} from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import { cause } from './cluster.cause.js';

const FIELD = 'spec.kubernetes.version';

/** A version that no cluster can begin with or move to. */
export interface UnsupportedVersion {
  readonly engine: Engine;
  readonly version: string;
  /** What is wanted in its place. */
  readonly wanted: string;
}

/** Undefined where there is nothing wrong with the version, or nobody here answers for it. */
export function unsupportedVersion({
  kubernetes: { engine, version },
}: Pick<Cluster['spec'], 'kubernetes'>): UnsupportedVersion | undefined {
  if (engine === EXISTING || version === undefined || isSupportedVersion(engine, version)) return undefined;
  const wanted = `must be a version that ${engine} supports: ${SUPPORTED_KUBERNETES_VERSIONS[engine].join(', ')}`;
  return { engine, version, wanted };
}

/** What is wrong with a version that a cluster begins with or moves to. One that it has stays its own when the list changes. */
export function versionCauses({ spec }: Cluster, old: Cluster | undefined): ErrorCause[] {
  const { version } = spec.kubernetes;
  if (old && version !== undefined && leavesOneOut(version, old)) {
    const [running, asked] = [old.status?.version, old.spec.kubernetes.version];
    const wanted = `leaves a minor version out, because the cluster still runs ${running}: wait until it is Ready with ${asked}`;
    return [cause(FIELD, version, wanted)];
  }
  const unsupported = unsupportedVersion(spec);
  if (!unsupported || unsupported.version === old?.spec.kubernetes.version) return [];
  return [cause(FIELD, unsupported.version, unsupported.wanted)];
}

/** Why a version cannot be asked for at once: it is too far, or behind. */
export type Distance = 'later' | 'never';

/** Undefined for a version that the cluster can be asked for at once, or where nobody knows. */
export function distanceOf(version: string, cluster: Cluster): Distance | undefined {
  const [asked, wanted] = [minorOf(cluster.spec.kubernetes.version), minorOf(version)];
  if (wanted < asked) return 'never';
  return wanted > asked + 1 || leavesOneOut(version, cluster) ? 'later' : undefined;
}

/** True for a version that brings the cluster a minor version further, and that it can be asked for at once. */
export function isNextMinor(version: string, cluster: Cluster): boolean {
  return minorOf(version) > minorOf(cluster.spec.kubernetes.version) && distanceOf(version, cluster) === undefined;
}

/** True for a minor version after the one that the cluster is on its way to: the engine would go past that. */
function leavesOneOut(version: string, { spec, status }: Cluster): boolean {
  const asked = minorOf(spec.kubernetes.version);
  return minorOf(version) > asked && asked > minorOf(status?.version);
}

/** Not a number where nobody knows. */
function minorOf(version: string | undefined): number {
  return Number(version?.split('.')[1]);
}

/** What to tell of a cluster that goes on with a version which has left the list. */
export function versionWarnings({ spec }: Cluster): string[] {
  const unsupported = unsupportedVersion(spec);
  if (!unsupported) return [];
  const { engine, version } = unsupported;
  const next = upgradeVersions(version, SUPPORTED_KUBERNETES_VERSIONS[engine]);
  const advice =
    next.length > 0
      ? `; upgrade to ${next.join(' or ')} while it still has them`
      : ', nor any version that it can be upgraded to: move its workloads to a new cluster';
  return [`${FIELD}: ${engine} no longer supports ${version}${advice}`];
}
