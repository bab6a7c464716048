import { COMPONENTS, type Component, type ComponentRollout } from '@crate/api';
import { gt } from 'semver';
import { nameOf, pendingVersion, platformVersions, type ComponentFacts } from './component.facts.js';
import { windowState } from './maintenance-window.js';
import { versionProblems } from './release-choice.js';

/** Why an upgrade does not begin yet. */
export interface Gate {
  readonly reason: string;
  readonly message: string;
  readonly opensAt?: Date;
}

/** Who drives the others, and is never newer than they are. */
export const DRIVER = 'lifecycle';

/** Nothing is known yet of what is installed. */
export const NO_INSTALLER: Gate = {
  reason: 'NoInstaller',
  message: 'Who installs versions here has not been heard of',
};

/** Nobody can go back to what lies there no more. */
export function versionGone({ from }: ComponentRollout): Gate {
  const message = `${from}, to which it goes back, is not here any more: put its folder back among the versions`;
  return { reason: 'VersionGone', message };
}

/**
 * What stands before an upgrade from `installed` to `target`; undefined: nothing. Reasons: `NoInstaller`, `NotAllowed`, `WaitingForOther`,
 * `SingleReplica`, `NotHealthy`, `WaitingForWindow`, and those of `troubleOf`. Pure.
 */
export function gateOf(facts: ComponentFacts, installed: string, target: string): Gate | undefined {
  const { installation, trouble, component, others, index } = facts;
  if (trouble) return trouble;
  if (!installation) return NO_INSTALLER;
  // Much may have changed since the version was admitted.
  const { channel } = component.spec;
  const { present } = installation;
  const platform = platformVersions(others);
  const [problem] = versionProblems(target, { index, channel, installed, platform, present });
  if (problem !== undefined) return { reason: 'NotAllowed', message: `${target} ${problem.message}` };
  return (
    otherGate(facts, { installed, target }) ??
    replicaGate(facts) ??
    healthGate(facts) ??
    windowGate(component, facts.now)
  );
}

/** One at a time, in the order of the components, and lifecycle never ahead of another. */
function otherGate(
  { component, others }: ComponentFacts,
  { installed, target }: { readonly installed: string; readonly target: string },
): Gate | undefined {
  const name = nameOf(component);
  const moving = others.find(({ status }) => status?.rollout);
  if (moving) return waitingFor(moving, 'is being upgraded');
  const behind = others.find((other) => gt(target, installed) && name === DRIVER && isOlder(other, target));
  if (behind)
    return waitingFor(behind, `has ${behind.status?.installedVersion ?? 'no known version'}; lifecycle comes last`);
  const driver = others.find((other) => nameOf(other) === DRIVER);
  if (driver && gt(driver.status?.installedVersion ?? target, target)) {
    return waitingFor(driver, `is newer than ${target}, and has to go back first`);
  }
  const earlier = others.find((other) => isBefore(other, component) && isGoing(other));
  return earlier && gt(target, installed) ? waitingFor(earlier, 'comes first') : undefined;
}

function isOlder({ status }: Component, target: string): boolean {
  return gt(target, status?.installedVersion ?? '0.0.0');
}

function isBefore(other: Component, component: Component): boolean {
  return COMPONENTS.indexOf(nameOf(other)) < COMPONENTS.indexOf(nameOf(component));
}

function isGoing(other: Component): boolean {
  return !other.spec.paused && pendingVersion(other, other.status?.installedVersion) !== undefined;
}

/** Who takes a version back must not be the only one that tries it. Pure. */
export function replicaGate({ component, installation }: ComponentFacts): Gate | undefined {
  if (nameOf(component) !== DRIVER || !installation?.isCanaryOneOfThem || installation.slots.length > 1)
    return undefined;
  const message = 'lifecycle needs 2 replicas: a single one tries the version itself, and nobody could take it back';
  return { reason: 'SingleReplica', message };
}

/** What is not well is not upgraded: nobody could tell what the upgrade did to it. Pure. */
export function healthGate({ service }: Pick<ComponentFacts, 'service'>): Gate | undefined {
  if (service?.state === 'Ready') return undefined;
  const message = `It is ${service?.state ?? 'Unknown'}: it has to be well before it is upgraded`;
  return { reason: 'NotHealthy', message };
}

/** What begins in its maintenance window only, waits for that. Pure. */
export function windowGate({ spec }: Component, now: Date): Gate | undefined {
  const state = windowState(spec.maintenanceWindow, now);
  if (state.isOpen) return undefined;
  const message = 'It waits for its maintenance window: see status.nextWindowAt';
  return { reason: 'WaitingForWindow', message, opensAt: state.opensAt };
}

function waitingFor(other: Component, why: string): Gate {
  return { reason: 'WaitingForOther', message: `${other.metadata.name} ${why}` };
}
