import { compare, gt, gte, lt, lte, valid } from 'semver';
import type { ComponentSpec, ComponentStatus } from '@crate/api';
import type { Release, ReleaseIndex } from '../release/release-index.js';

/** What a version is judged by. */
export interface ChoiceFacts {
  readonly index: ReleaseIndex | undefined;
  readonly channel: ComponentSpec['channel'];
  readonly installed: string;
  /** Versions of all components: they run side by side while one of them is upgraded. */
  readonly platform: readonly string[];
  /** What lies there to be installed. */
  readonly present: readonly string[];
}

/** What a component may be set to beside what it has, the newest first. Pure. */
export function availableVersions(facts: ChoiceFacts): NonNullable<ComponentStatus['availableVersions']> {
  const releases = (facts.index?.releases ?? []).filter(({ version }) => gt(version, facts.installed));
  return releases
    .filter((release) => !channelProblem(release, facts) && !stepProblem(release, facts))
    .sort((left, right) => compare(right.version, left.version))
    .map(({ version, channel, releasedAt, isSecurity }) => ({
      ...{ version, channel, releasedAt, isSecurity },
      present: facts.present.includes(version),
    }));
}

/** All that is in the way of the version, in the words for a person; none when it may be installed. Pure. */
export function versionProblems(version: string, facts: ChoiceFacts): readonly string[] {
  if (valid(version) !== version) return ['must be a semantic version such as 1.4.2'];
  const { index, present } = facts;
  if (!index) return ['cannot be judged: no index of releases is known; see CRATE_RELEASES_INDEX and crate status'];
  const release = index.releases.find((each) => each.version === version);
  if (!release) return ['is not among the signed releases'];
  const problems = [channelProblem(release, facts), stepProblem(release, facts)];
  if (!present.includes(version)) problems.push('does not lie where versions are installed from');
  return problems.filter((problem) => problem !== undefined);
}

function channelProblem({ channel }: Release, facts: ChoiceFacts): string | undefined {
  if (channel === 'stable' || facts.channel === 'candidate') return undefined;
  return `is of the channel ${channel}, and spec.channel is ${facts.channel}`;
}

/** Every component has to be near enough: each may meet each other while one is upgraded. */
function stepProblem(release: Release, { index, installed, platform }: ChoiceFacts): string | undefined {
  if (lt(release.version, installed)) return downgradeProblem(release, { index, installed });
  const { upgradeFrom } = release;
  const [oldest] = [...platform, installed].sort(compare);
  if (upgradeFrom === undefined || oldest === undefined || lte(upgradeFrom, oldest)) return undefined;
  return `is reached from ${upgradeFrom} on, and the oldest component has ${oldest}: go by a version in between`;
}

function downgradeProblem(
  { version }: Release,
  { index, installed }: Pick<ChoiceFacts, 'index' | 'installed'>,
): string | undefined {
  const current = index?.releases.find((each) => each.version === installed);
  if (current?.downgradeTo !== undefined && gte(version, current.downgradeTo)) return undefined;
  const limit = current?.downgradeTo === undefined ? '' : ` but to ${current.downgradeTo} or later`;
  return `is older than ${installed}, from which there is no way back${limit}: its schemas are not for older services`;
}
