import {
  conditionFalse,
  conditionMessage,
  conditionTrue,
  conditionUnknown,
  mergeConditions,
  ROLLOUT_STEPS,
  toTimestamp,
  type Component,
  type ComponentStatus,
  type ConditionFact,
} from '@crate/api';
import { liveReplicas, type ComponentFacts } from './component.facts.js';
import { CHANGED_FROM_OUTSIDE, type Step } from './component.step.js';
import { hasEnded, isRejected } from './rejected.js';

const KEPT_ENDS = 10;

/** What a person reads of a component after a pass. Pure. */
export function componentStatus(
  facts: ComponentFacts,
  step: Step,
  available: NonNullable<ComponentStatus['availableVersions']>,
): ComponentStatus {
  const { component, now } = facts;
  const { generation } = component.metadata;
  const { rollout, ended, installed, gate } = step;
  const before = component.status;
  const history = [...(ended ? [ended] : []), ...(before?.history ?? [])].slice(0, KEPT_ENDS);
  const after = { ...component, status: { ...before, history } };
  const conditions = [ready(facts), upToDate(after, step), paused(component)];
  return {
    observedGeneration: generation,
    conditions: mergeConditions(before?.conditions, conditions, { generation, now }),
    ...(installed === undefined ? {} : { installedVersion: installed }),
    availableVersions: available,
    replicas: replicasByVersion(facts),
    ...(rollout ? { rollout, progress: progressOf(step) } : {}),
    ...(gate?.opensAt ? { nextWindowAt: toTimestamp(gate.opensAt) } : {}),
    ...(history.length > 0 ? { history } : {}),
  };
}

function replicasByVersion({ service }: ComponentFacts): NonNullable<ComponentStatus['replicas']> {
  const live = liveReplicas(service);
  return [...new Set(live.map(({ version }) => version))].sort().map((version) => {
    const own = live.filter((replica) => replica.version === version);
    return { version, ready: own.filter(({ state }) => state === 'Ready').length, total: own.length };
  });
}

function progressOf({ rollout, health }: Step): ComponentStatus['progress'] {
  if (!rollout) return undefined;
  const forwards = ROLLOUT_STEPS.filter((step) => step !== 'RollingBack');
  const step = Math.max(
    0,
    forwards.findIndex((each) => each === rollout.step),
  );
  const message = health && !health.isWell ? health.message : rollout.step;
  return { step, steps: forwards.length, message: conditionMessage(message) };
}

/** Reasons: `Ready`; `Degraded`, `NotReady`, `Silent` as the service stands; `Unknown` before it was heard of. */
function ready({ service }: ComponentFacts): ConditionFact {
  if (!service || service.state === 'Unknown') return conditionUnknown('Ready', 'Unknown', 'It was never heard of');
  if (service.state === 'Ready') return conditionTrue('Ready', 'Ready');
  const message = service.message ?? 'See crate status for its replicas';
  return conditionFalse('Ready', service.state, conditionMessage(message));
}

/**
 * Reasons: `UpToDate`; `Unknown` before a version is known; `Upgrading`, or `RollingBack`, while that is under way; `RolledBack` after it,
 * until the spec changes; `ChangedFromOutside`; `Paused`; and those of `gateOf` while an upgrade waits or stands still.
 */
function upToDate(component: Component, { rollout, gate, installed }: Step): ConditionFact {
  if (installed === undefined)
    return conditionUnknown('UpToDate', 'Unknown', 'Its replicas have not said their version');
  if (rollout) {
    const { from, to, step, reason, message } = rollout;
    if (gate)
      return conditionFalse(
        'UpToDate',
        gate.reason,
        conditionMessage(`From ${from} to ${to}: ${step}: ${gate.message}`),
      );
    if (step !== 'RollingBack') return conditionFalse('UpToDate', 'Upgrading', `From ${from} to ${to}: ${step}`);
    const why = `Back from ${to} to ${from}: ${reason ?? ''}: ${message ?? ''}`;
    return conditionFalse('UpToDate', 'RollingBack', conditionMessage(why));
  }
  if (gate) return conditionFalse('UpToDate', gate.reason, conditionMessage(gate.message));
  const { version } = component.spec;
  if (version === undefined || version === installed) return conditionTrue('UpToDate', 'UpToDate');
  if (isRejected(component)) return rejected(component);
  if (hasEnded(component, version)) {
    const advice = `set spec.version to ${installed}, or take it out and set it again to go to ${version}`;
    return conditionFalse('UpToDate', CHANGED_FROM_OUTSIDE, `${installed} was installed from outside; ${advice}`);
  }
  return conditionFalse('UpToDate', 'Paused', `Goes to ${version} when spec.paused is set back`);
}

function rejected({ status }: Component): ConditionFact {
  const { to = '', from = '', reason = '', message = '' } = status?.history?.[0] ?? {};
  if (reason === CHANGED_FROM_OUTSIDE) return conditionFalse('UpToDate', reason, conditionMessage(`${to}: ${message}`));
  return conditionFalse(
    'UpToDate',
    'RolledBack',
    conditionMessage(`${to} was taken back to ${from}: ${reason}: ${message}`),
  );
}

function paused({ spec }: Component): ConditionFact {
  if (spec.paused)
    return conditionTrue('Paused', 'Paused', 'No upgrade begins or goes on until spec.paused is set back');
  return conditionFalse('Paused', 'NotPaused', '');
}
