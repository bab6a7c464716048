import type { Component } from '@crate/api';
import { phaseOf, whyOf } from '../components/component-rows.js';
import type { Stage } from '../progress/object-progress.js';

/** How a component stands to a version that it was asked for. */
export type Outcome = 'Done' | 'RolledBack' | 'Withdrawn' | 'UnderWay';

/** Who drives the others: last on the way up, first on the way back. */
const DRIVER = 'lifecycle';
const STEPS = 3;

/** Pure. */
export function outcomeOf({ spec, status, metadata }: Component, to: string): Outcome {
  const { rollout, installedVersion, history = [] } = status ?? {};
  if (rollout) return 'UnderWay';
  if (installedVersion === to) return 'Done';
  if ((spec.version ?? installedVersion) !== to) return 'Withdrawn';
  const [last] = history;
  const isOwn = last?.to === to && last.generation === metadata.generation;
  return isOwn && last.outcome === 'RolledBack' ? 'RolledBack' : 'UnderWay';
}

/** Whether nothing more will happen: all have ended, or those that have not wait for one that failed. Pure. */
export function isOver(components: readonly Component[], to: string): boolean {
  const known = components.map((component) => ({ name: component.metadata.name, outcome: outcomeOf(component, to) }));
  const open = known.filter(({ outcome }) => outcome === 'UnderWay');
  if (open.length === 0) return true;
  if (components.some(({ status }) => status?.rollout)) return false;
  const failed = known.filter(({ outcome }) => outcome === 'RolledBack' || outcome === 'Withdrawn');
  const isDriverFailed = failed.some(({ name, outcome }) => name === DRIVER && outcome === 'RolledBack');
  // lifecycle is never newer than another one.
  return isDriverFailed || (failed.length > 0 && open.every(({ name }) => name === DRIVER));
}

/** Where it is, for a person who waits. Pure. */
export function upgradeStage(component: Component, to: string): Stage {
  const { status } = component;
  const outcome = outcomeOf(component, to);
  if (outcome === 'Done') return { step: STEPS, steps: STEPS, message: `Has ${to}` };
  const { step = 0, steps = STEPS } = status?.progress ?? {};
  const why = whyOf(component);
  return { step, steps, message: why === '' ? phaseOf(component) : `${phaseOf(component)}: ${why}` };
}

/** What came of it, in a line. Pure. */
export function endLine(component: Component, to: string): string {
  const { metadata, spec, status } = component;
  const has = status?.installedVersion ?? 'an unknown version';
  switch (outcomeOf(component, to)) {
    case 'Done':
      return `${metadata.name} has ${to}`;
    case 'RolledBack':
      return `${metadata.name}: ${whyOf(component)}`;
    case 'Withdrawn':
      return `${metadata.name} has ${has}: somebody set ${spec.version ?? 'no version'} meanwhile`;
    case 'UnderWay':
      return `${metadata.name} has ${has}: ${whyOf(component)}`;
  }
}
