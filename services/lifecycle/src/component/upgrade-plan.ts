import { COMPONENTS, toTimestamp, type UpgradePlan } from '@crate/api';
import { compare, gt } from 'semver';
import { installedVersion, platformVersions, type ComponentFacts } from './component.facts.js';
import { DRIVER } from './component.gates.js';
import { availableVersions } from './release-choice.js';
import { planStep } from './upgrade-plan.step.js';

/** What a plan is made of. */
export interface PlanFacts {
  /** Of every component. */
  readonly components: readonly ComponentFacts[];
  /** Whether versions are installed from within here at all. */
  readonly hasInstaller: boolean;
  readonly now: Date;
}

/** What would be done to bring all components to the version, and all that is in the way. Pure. */
export function upgradePlan(to: string, { components, hasInstaller, now }: PlanFacts): UpgradePlan {
  const steps = components.map((facts) => planStep(facts, { to, hasInstaller }));
  const [oldest] = versionsOf(components);
  const release = components[0]?.index?.releases.find(({ version }) => version === to);
  return {
    kind: 'UpgradePlan',
    at: toTimestamp(now),
    to,
    ...(oldest === undefined ? {} : { oldest }),
    ...(release ? { release: releaseOf(release) } : {}),
    steps: steps.sort((left, right) => placeOf(left) - placeOf(right)),
  };
}

/**
 * The newest version that is offered to every component, whether or not it lies there already; that of the newest component when there
 * is none, and undefined while nobody knows what they have. Pure.
 */
export function newestVersion(components: readonly ComponentFacts[]): string | undefined {
  const choices = components.map(choicesOf);
  const [first = [], ...others] = choices;
  const common = first.filter((version) => others.every((each) => each.includes(version)));
  return common.sort(compare).at(-1) ?? versionsOf(components).at(-1);
}

/** What it has, and what it is offered. */
function choicesOf(facts: ComponentFacts): readonly string[] {
  const installed = installedVersion(facts);
  if (installed === undefined) return [];
  const { component, others, index, installation } = facts;
  const offered = availableVersions({
    index,
    channel: component.spec.channel,
    installed,
    platform: platformVersions(others),
    present: installation?.present ?? [],
  });
  return [installed, ...offered.map(({ version }) => version)];
}

/** The oldest first. */
function versionsOf(components: readonly ComponentFacts[]): readonly string[] {
  return components.flatMap((facts) => installedVersion(facts) ?? []).sort(compare);
}

/** In the order of the components, where the driver is last on the way up and first on the way back. */
function placeOf({ component, from, to }: UpgradePlan['steps'][number]): number {
  const isBack = component === DRIVER && from !== undefined && gt(from, to);
  return isBack ? -1 : COMPONENTS.indexOf(component);
}

function releaseOf({
  version: _,
  ...release
}: NonNullable<ComponentFacts['index']>['releases'][number]): NonNullable<UpgradePlan['release']> {
  return release;
}
