import {
  toTimestamp,
  type Component,
  type ComponentRollout,
  type ComponentSpec,
  type ComponentStatus,
} from '@crate/api';
import { installedVersion, pendingVersion, type ComponentFacts } from './component.facts.js';
import { gateOf, NO_INSTALLER, versionGone, type Gate } from './component.gates.js';
import { healthOf, type Health } from './component.health.js';
import type { Installation, WantedInstallation } from './installer.js';

/** Reason of what is not as it was wanted, and nobody here did it. */
export const CHANGED_FROM_OUTSIDE = 'ChangedFromOutside';

type Ended = NonNullable<ComponentStatus['history']>[number];

/** What a pass comes to; whatever is undefined is not so. */
export interface Step {
  readonly installed: string | undefined;
  /** The upgrade as it goes on. */
  readonly rollout?: ComponentRollout | undefined;
  /** The upgrade that has come to its end. */
  readonly ended?: Ended | undefined;
  /** Why an upgrade that is asked for does not begin, or one that is under way stands still. */
  readonly gate?: Gate | undefined;
  /** How what is waited for stands. */
  readonly health?: Health | undefined;
  /** What the installer is told; undefined: nothing new. */
  readonly wanted?: WantedInstallation | undefined;
}

/** Moves an upgrade one step on, or begins one, or says why not. Pure: the same facts come to the same. */
export function nextStep(facts: ComponentFacts): Step {
  const { component, now } = facts;
  const { rollout } = component.status ?? {};
  const installed = installedVersion(facts);
  if (rollout) return goOn(facts, rollout);
  const target = pendingVersion(component, installed);
  if (installed === undefined || target === undefined || component.spec.paused) {
    return { installed, ...leftOver(facts) };
  }
  const gate = gateOf(facts, installed, target);
  if (gate) return { installed, gate, ...leftOver(facts) };
  const at = toTimestamp(now);
  const { generation } = component.metadata;
  return going({ from: installed, to: target, step: 'Canary', startedAt: at, since: at, generation });
}

/** What the installer tries for no upgrade: who told it died, or heard no answer, before it could write that it began one. */
function leftOver({ installation }: ComponentFacts): Pick<Step, 'wanted'> {
  return installation?.isUnderWay ? { wanted: { version: installation.version } } : {};
}

/** What the spec asks for by now is tried with this upgrade: however it ends, it is not to be tried once more for that. */
function carried(rollout: ComponentRollout, { spec, metadata: { generation } }: Component): ComponentRollout {
  return rollout.step !== 'RollingBack' && spec.version === rollout.to ? { ...rollout, generation } : rollout;
}

function goOn(facts: ComponentFacts, known: ComponentRollout): Step {
  const { component, now, trouble, installation } = facts;
  const before = carried(known, component);
  if (trouble || !installation) return { ...standStill(before, now), gate: trouble ?? NO_INSTALLER };
  const isPaused = component.spec.paused && before.step !== 'RollingBack';
  const rollout = isPaused ? before : resumed(before, now);
  if (isDone(rollout, installation)) return onwards(rollout, now);
  if (isOverridden(rollout, installation)) return giveWay(rollout, installation, now);
  if (isLost(facts, rollout, installation)) return { ...standStill(before, now), gate: versionGone(rollout) };
  if (rollout.step === 'RollingBack') return rollBack(facts, rollout);
  return isPaused ? hold(rollout, now) : goForwards(facts, rollout);
}

function goForwards(facts: ComponentFacts, rollout: ComponentRollout): Step {
  const { component, now } = facts;
  if ((component.spec.version ?? rollout.from) !== rollout.to) {
    return back(rollout, now, { reason: 'Withdrawn', message: `spec.version is not ${rollout.to} any more` });
  }
  const slots = rollout.step === 'Canary' ? 'Canary' : 'All';
  const health = healthOf(facts, { version: rollout.to, slots });
  return health.isWell ? soak(facts, rollout, health) : waitOrGiveUp(facts, rollout, health);
}

/** What is well has to stay so for a while. */
function soak({ component, now }: ComponentFacts, rollout: ComponentRollout, health: Health): Step {
  const well = { ...rollout, healthySince: rollout.healthySince ?? toTimestamp(now) };
  const wellMs = now.getTime() - Date.parse(well.healthySince);
  if (wellMs < soakMs(rollout, component.spec)) return { ...going(well), health };
  return onwards(well, now);
}

/** Nobody knows how what is installed stands, or wants to: nothing is begun, and nothing counts as well or as late. */
function standStill({ healthySince: _, ...rollout }: ComponentRollout, now: Date): Step {
  return { installed: rollout.from, rollout: { ...rollout, heldSince: rollout.heldSince ?? toTimestamp(now) } };
}

/** What was said last is carried out by somebody else, pod after pod: whoever does that has to be told to stop. */
function hold(rollout: ComponentRollout, now: Date): Step {
  const { from, to, step } = rollout;
  const stage = step === 'Canary' ? 'Canary' : 'Held';
  return { ...standStill(rollout, now), wanted: { version: from, next: { version: to, stage } } };
}

/** Its step is later by as long as it stood still. */
function resumed({ heldSince, ...rollout }: ComponentRollout, now: Date): ComponentRollout {
  if (heldSince === undefined) return rollout;
  const heldMs = Math.max(0, now.getTime() - Date.parse(heldSince));
  return { ...rollout, since: toTimestamp(new Date(Date.parse(rollout.since) + heldMs)) };
}

/** Whether the installer was told that it is done, by who died before that was written: whatever is wanted since, there is no way back. */
function isDone({ to, step }: ComponentRollout, { version, isUnderWay }: Installation): boolean {
  return step === 'Soaking' && version === to && isUnderWay === false;
}

/**
 * Whether somebody has installed a version that is neither; or the new one in all places, which no upgrade does before it rolls, and
 * none on its way back.
 */
function isOverridden({ from, to, step }: ComponentRollout, { version, slots, asked }: Installation): boolean {
  if (version !== to) return version !== from;
  const isEverywhere = slots.length > 0 && slots.every((slot) => slot.version === to && !slot.isCanary);
  return isEverywhere && (step === 'Canary' || (step === 'RollingBack' && asked !== from));
}

/** Whether it cannot go back, as the version before lies there no more. */
function isLost(facts: ComponentFacts, { from, step }: ComponentRollout, { present }: Installation): boolean {
  if (step !== 'RollingBack' || present === 'Fetched' || present.includes(from)) return false;
  return !healthOf(facts, { version: from, slots: 'All' }).isWell;
}

/** Who installed it has the last word. */
function giveWay(rollout: ComponentRollout, { version, setBy }: Installation, now: Date): Step {
  const message = `${setBy ?? 'Somebody'} put ${version} in its place`;
  const outcome = version === rollout.to ? 'Succeeded' : 'RolledBack';
  const ended = endOf({ ...rollout, reason: CHANGED_FROM_OUTSIDE, message }, now, outcome);
  return { installed: version, ended, wanted: { version } };
}

/** What comes after a step that is done. */
function onwards({ healthySince: _, remaining: __, ...rollout }: ComponentRollout, now: Date): Step {
  const since = toTimestamp(now);
  switch (rollout.step) {
    case 'Canary':
      return going({ ...rollout, step: 'Rolling', since });
    case 'Rolling':
      return going({ ...rollout, step: 'Soaking', since });
    case 'Soaking':
    case 'RollingBack':
      return { installed: rollout.to, ended: endOf(rollout, now, 'Succeeded'), wanted: { version: rollout.to } };
  }
}

function waitOrGiveUp(
  facts: ComponentFacts,
  known: ComponentRollout,
  health: Health & { readonly isWell: false },
): Step {
  const { component, now } = facts;
  const { healthySince: _, ...rollout } = counted(facts, known);
  const deadlineMs = component.spec.strategy.progressDeadlineSeconds * 1_000;
  const isLate = now.getTime() - Date.parse(rollout.since) > deadlineMs + soakMs(rollout, component.spec);
  return health.isHopeless || isLate ? back(rollout, now, health) : { ...going(rollout), health };
}

/**
 * Processes are replaced one after the other, and each may have a run to end first: with each that is ready the time begins anew. One that was
 * ready before and is so again is none more.
 */
function counted({ installation, now }: ComponentFacts, rollout: ComponentRollout): ComponentRollout {
  const { step, to, remaining: fewest } = rollout;
  if (step !== 'Rolling') return rollout;
  const remaining = installation?.slots.filter(({ version, isReady }) => version !== to || !isReady).length ?? 0;
  if (fewest === undefined) return { ...rollout, remaining };
  return remaining < fewest ? { ...rollout, remaining, since: toTimestamp(now) } : rollout;
}

function back(
  { healthySince: _, remaining: __, ...rollout }: ComponentRollout,
  now: Date,
  { reason, message }: { readonly reason: string; readonly message: string },
): Step {
  return going({ ...rollout, step: 'RollingBack', since: toTimestamp(now), reason, message });
}

/** Ends when the version before is all there is; until then it goes on for as long as it takes. */
function rollBack(facts: ComponentFacts, rollout: ComponentRollout): Step {
  const health = healthOf(facts, { version: rollout.from, slots: 'All' });
  if (!health.isWell) return { ...going(rollout), health };
  return { installed: rollout.from, ended: endOf(rollout, facts.now, 'RolledBack'), wanted: { version: rollout.from } };
}

function going(rollout: ComponentRollout): Step {
  const { from, to, step } = rollout;
  const stage = step === 'Canary' ? 'Canary' : 'All';
  const wanted = step === 'RollingBack' ? { version: from } : { version: from, next: { version: to, stage } as const };
  return { installed: from, rollout, wanted };
}

function endOf(rollout: ComponentRollout, now: Date, outcome: Ended['outcome']): Ended {
  const { from, to, startedAt, generation, reason, message } = rollout;
  return {
    ...{ from, to, startedAt, endedAt: toTimestamp(now), outcome, generation },
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function soakMs({ step }: ComponentRollout, { strategy }: ComponentSpec): number {
  const { canarySoakSeconds, soakSeconds } = strategy;
  return { Canary: canarySoakSeconds, Rolling: 0, Soaking: soakSeconds, RollingBack: 0 }[step] * 1_000;
}
