import { compare, gt, lte } from 'semver';
import { newerUnread, type Channel, type Release, type ReleaseIndex } from './release-index.js';

/** A release to go to, and where the way ends. */
export interface Upgrade {
  readonly next: Release;
  /** The newest of the channel, where that is not reached in one step. */
  readonly newest: Release;
  /** It, or one that is passed over, closes a security hole; that one need not be readable. */
  readonly isSecurity: boolean;
}

/**
 * The newest release of the channel that an installation of this version may go to in one step; those who try candidates
 * get stable ones, too. Undefined when there is no newer one. Pure.
 */
export function upgradeOf(
  index: ReleaseIndex,
  { version, channel }: { readonly version: string; readonly channel: Channel },
): Upgrade | undefined {
  const newer = index.releases
    .filter((release) => (channel === 'candidate' || release.channel === 'stable') && gt(release.version, version))
    .sort((left, right) => compare(right.version, left.version));
  const [newest] = newer;
  const next = newer.find(({ upgradeFrom }) => upgradeFrom === undefined || lte(upgradeFrom, version));
  if (!newest || !next) return undefined;
  const isSecurity = [...newer, ...newerUnread(index, { version, channel })].some(
    (each) => each.isSecurity && each.version !== undefined && lte(each.version, next.version),
  );
  return { next, newest, isSecurity };
}
