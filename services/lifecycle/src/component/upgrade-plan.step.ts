import type { Component, UpgradePlanStep, UpgradeProblem } from '@crate/api';
import { gt } from 'semver';
import { installedVersion, nameOf, platformVersions, type ComponentFacts } from './component.facts.js';
import { healthGate, NO_INSTALLER, replicaGate, windowGate } from './component.gates.js';
import { hasEnded } from './rejected.js';
import { versionProblems } from './release-choice.js';

interface Goal {
  readonly to: string;
  readonly hasInstaller: boolean;
}

type Way = Pick<UpgradePlanStep, 'action' | 'from'>;

const FROM_OUTSIDE: UpgradeProblem = {
  reason: 'InstalledFromOutside',
  effect: 'Refused',
  message: 'Versions are not installed from within here',
  remedy: 'Upgrade the installation itself: docs/release/upgrading.md says how for each kind of it',
};

const VERSION_UNKNOWN: UpgradeProblem = {
  reason: 'VersionUnknown',
  effect: 'Refused',
  message: 'Its replicas have not said yet which version they have',
  remedy: 'Look again in a minute; crate status --remote says who is silent',
};

const SILENT_INSTALLER: UpgradeProblem = {
  ...NO_INSTALLER,
  effect: 'Waits',
  remedy:
    'See whether crate up runs on the data directory; on Kubernetes, whether the StatefulSets are those of the chart',
};

const TROUBLE_REMEDY = 'docs/release/upgrading.md says what the installer needs; it is asked again every few seconds';

const MORE_REPLICAS = 'Run two: lifecycle.replicas of the chart, or lifecycle.autoscaling.minReplicas where it scales';

const PAUSED: UpgradeProblem = {
  reason: 'Paused',
  effect: 'Waits',
  message: 'No upgrade of it begins or goes on',
  remedy: 'Set spec.paused of the component back to false',
};

/** What would be done with one component, as if those before it were done already. Pure. */
export function planStep(facts: ComponentFacts, goal: Goal): UpgradePlanStep {
  const { component } = facts;
  const way = wayOf(facts, goal.to);
  return {
    component: nameOf(component),
    ...way,
    to: goal.to,
    hasFailed: way.action !== 'Stay' && hasEnded(component, goal.to),
    moves: movesOf(component, way, goal.to),
    problems: [...problemsOf(facts, way, goal)],
  };
}

function wayOf(facts: ComponentFacts, to: string): Way {
  const from = installedVersion(facts);
  const { rollout } = facts.component.status ?? {};
  if (from === undefined) return { action: 'Upgrade' };
  if (rollout?.to === to && rollout.step !== 'RollingBack') return { action: 'GoOn', from };
  if (from === to) return { action: 'Stay', from };
  return { action: gt(to, from) ? 'Upgrade' : 'Downgrade', from };
}

function movesOf({ spec, status }: Component, { action }: Way, to: string): UpgradePlanStep['moves'] {
  if (action === 'Stay') return [];
  const { canarySoakSeconds, soakSeconds } = spec.strategy;
  const schema = action === 'Downgrade' ? 'leaves the schema as it is' : 'brings the schema up to date, by adding only';
  const all: UpgradePlanStep['moves'] = [
    { step: 'Canary', message: `One replica runs ${to} first, and ${schema}`, atLeastSeconds: canarySoakSeconds },
    { step: 'Rolling', message: 'The others are replaced one by one', atLeastSeconds: 0 },
    { step: 'Soaking', message: 'All are looked at', atLeastSeconds: soakSeconds },
  ];
  const at = action === 'GoOn' ? all.findIndex(({ step }) => step === status?.rollout?.step) : 0;
  return all.slice(at);
}

function problemsOf(facts: ComponentFacts, { action, from }: Way, goal: Goal): readonly UpgradeProblem[] {
  if (action === 'Stay') return [];
  const { component } = facts;
  const paused = component.spec.paused ? [PAUSED] : [];
  if (action === 'GoOn') return paused;
  if (!goal.hasInstaller) return [FROM_OUTSIDE];
  if (from === undefined) return [VERSION_UNKNOWN];
  return [...refusals(facts, from, goal.to), ...paused, ...turningBack(component, goal.to), ...waits(facts)];
}

/** As admission judges it. */
function refusals(facts: ComponentFacts, installed: string, to: string): readonly UpgradeProblem[] {
  const { component, others, installation, index } = facts;
  // What lies there only the installer knows, who has a word of its own.
  const present = installation?.present ?? [to];
  const platform = platformVersions(others);
  const found = versionProblems(to, { index, channel: component.spec.channel, installed, platform, present });
  return found.map(({ reason, message, remedy }) => ({
    ...{ reason, effect: 'Refused' as const, message: `${to} ${message}`, remedy },
  }));
}

function turningBack({ status }: Component, to: string): readonly UpgradeProblem[] {
  const { rollout } = status ?? {};
  if (!rollout || (rollout.to === to && rollout.step !== 'RollingBack')) return [];
  const message = `It is on its way from ${rollout.from} to ${rollout.to}, and goes back first`;
  return [{ reason: 'UnderWay', effect: 'Waits', message, remedy: 'Wait until it is back' }];
}

function waits(facts: ComponentFacts): readonly UpgradeProblem[] {
  const alone = replicaGate(facts);
  const health = healthGate(facts);
  const window = windowGate(facts.component, facts.now);
  return [
    ...silence(facts),
    ...(alone ? [{ ...alone, effect: 'Waits' as const, remedy: MORE_REPLICAS }] : []),
    ...(health
      ? [{ ...health, effect: 'Waits' as const, remedy: 'See what is wrong with it: crate status --remote' }]
      : []),
    ...(window ? [waitingForWindow(window.opensAt)] : []),
  ];
}

function silence({ installation, trouble }: ComponentFacts): readonly UpgradeProblem[] {
  if (trouble) return [{ ...trouble, effect: 'Waits', remedy: TROUBLE_REMEDY }];
  return installation ? [] : [SILENT_INSTALLER];
}

function waitingForWindow(opensAt: Date | undefined): UpgradeProblem {
  return {
    reason: 'WaitingForWindow',
    effect: 'Waits',
    message: `Its maintenance window opens at ${opensAt?.toISOString() ?? 'a time that nobody knows'}`,
    remedy: 'Wait for it, or take spec.maintenanceWindow of the component away',
  };
}
