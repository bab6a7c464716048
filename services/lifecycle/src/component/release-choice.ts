import { compare, gt, gte, lt, lte, valid } from 'semver';
import type { ComponentSpec, ComponentStatus } from '@crate/api';
import type { Release, ReleaseIndex } from '../release/release-index.js';
import type { Installation } from './installer.js';

/** What a version is judged by. */
export interface ChoiceFacts {
  readonly index: ReleaseIndex | undefined;
  readonly channel: ComponentSpec['channel'];
  readonly installed: string;
  /** Versions of all components: they run side by side while one of them is upgraded. */
  readonly platform: readonly string[];
  /** What there is to be installed. */
  readonly present: Installation['present'];
}

/** Something in the way of a version. */
export interface VersionProblem {
  /** In one word, which stays the same. */
  readonly reason: string;
  /** Goes on from the version: "is not among the signed releases". */
  readonly message: string;
  readonly remedy: string;
}

const PROBLEMS = {
  notAVersion: {
    reason: 'NotAVersion',
    message: 'must be a semantic version such as 1.4.2',
    remedy: 'See what is offered with: crate components',
  },
  noIndex: {
    reason: 'NoReleaseIndex',
    message: 'cannot be judged: no index of releases is known',
    remedy: 'Set CRATE_RELEASES_INDEX, and see what crate status --remote says of upgrades',
  },
  notSigned: {
    reason: 'NotSigned',
    message: 'is not among the signed releases',
    remedy: 'See what is offered with: crate components',
  },
  notReadable: {
    reason: 'NotReadable',
    message: 'is a release that lifecycle is too old to read',
    remedy: 'Set a version in between first, or upgrade by Helm or from a checkout (docs/release/upgrading.md)',
  },
  notPresent: {
    reason: 'NotPresent',
    message: 'does not lie where versions are installed from',
    remedy: 'Unpack the release into versions/VERSION of the data directory, and build it (docs/release/upgrading.md)',
  },
} as const satisfies Readonly<Record<string, VersionProblem>>;

/** What a component may be set to beside what it has, the newest first. Pure. */
export function availableVersions(facts: ChoiceFacts): NonNullable<ComponentStatus['availableVersions']> {
  const releases = (facts.index?.releases ?? []).filter(({ version }) => gt(version, facts.installed));
  return releases
    .filter((release) => !channelProblem(release, facts) && !stepProblem(release, facts))
    .sort((left, right) => compare(right.version, left.version))
    .map(({ version, channel, releasedAt, isSecurity }) => ({
      ...{ version, channel, releasedAt, isSecurity },
      present: isPresent(version, facts),
    }));
}

/**
 * All that is in the way of the version; none when it may be installed. Reasons: `NotAVersion`, `NoReleaseIndex`, `NotSigned`,
 * `NotReadable`, `WrongChannel`, `TooFar`, `NoWayBack`, `NotPresent`. Pure.
 */
export function versionProblems(version: string, facts: ChoiceFacts): readonly VersionProblem[] {
  const { index } = facts;
  if (valid(version) !== version) return [PROBLEMS.notAVersion];
  if (!index) return [PROBLEMS.noIndex];
  const release = index.releases.find((each) => each.version === version);
  if (!release) return [isUnread(version, index) ? PROBLEMS.notReadable : PROBLEMS.notSigned];
  const problems = [channelProblem(release, facts), stepProblem(release, facts)];
  if (!isPresent(version, facts)) problems.push(PROBLEMS.notPresent);
  return problems.filter((problem) => problem !== undefined);
}

function isUnread(version: string, index: ReleaseIndex | undefined): boolean {
  return index?.unread?.some((each) => each.version === version) ?? false;
}

function isPresent(version: string, { present }: ChoiceFacts): boolean {
  return present === 'Fetched' || present.includes(version);
}

function channelProblem({ channel }: Release, facts: ChoiceFacts): VersionProblem | undefined {
  if (channel === 'stable' || facts.channel === 'candidate') return undefined;
  const message = `is of the channel ${channel}, and spec.channel is ${facts.channel}`;
  return { reason: 'WrongChannel', message, remedy: `Set spec.channel to ${channel} to try it out` };
}

/** Every component has to be near enough: each may meet each other while one is upgraded. */
function stepProblem(release: Release, { index, installed, platform }: ChoiceFacts): VersionProblem | undefined {
  if (lt(release.version, installed)) return downgradeProblem(release, { index, installed });
  const { upgradeFrom } = release;
  const [oldest] = [...platform, installed].sort(compare);
  if (upgradeFrom === undefined || oldest === undefined || lte(upgradeFrom, oldest)) return undefined;
  const message = `is reached from ${upgradeFrom} on, and the oldest component has ${oldest}`;
  return { reason: 'TooFar', message, remedy: 'Go by a version in between' };
}

function downgradeProblem(
  { version }: Release,
  { index, installed }: Pick<ChoiceFacts, 'index' | 'installed'>,
): VersionProblem | undefined {
  const current = index?.releases.find((each) => each.version === installed);
  if (current?.downgradeTo !== undefined && gte(version, current.downgradeTo)) return undefined;
  if (isUnread(installed, index)) return notKnownHowFarBack(installed);
  const limit = current?.downgradeTo === undefined ? '' : ` but to ${current.downgradeTo} or later`;
  const message = `is older than ${installed}, from which there is no way back${limit}: its schemas are not for older services`;
  return { reason: 'NoWayBack', message, remedy: 'Restore the backup from before, with the older services' };
}

/** lifecycle went back before the others. */
function notKnownHowFarBack(installed: string): VersionProblem {
  const message = `cannot be judged: lifecycle is too old to read how far ${installed} goes back`;
  const remedy = 'Go back by Helm, or with the programs of the older version (docs/release/upgrading.md)';
  return { reason: 'NotReadable', message, remedy };
}
