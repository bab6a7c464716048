import type { Condition } from '@crate/api';

/** The condition of this type, if the object has it. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True';
}

/** Conditions that say something bad, or that something is under way, by being true. */
const ODD: ReadonlySet<string> = new Set(['Paused', 'Deleting']);

/** Reasons why something is not so, and is not meant to be. */
const EXPECTED: ReadonlySet<string> = new Set(['NotStarted', 'Provisioning', 'Paused', 'Deleting', 'Removed']);

/** How a condition is to be taken: not every one is good by being true. */
export function toneOf({ type, status, reason }: Condition): 'success' | 'warning' | 'danger' | 'info' | 'quiet' {
  if (ODD.has(type)) return status === 'True' ? 'warning' : 'quiet';
  if (status === 'True') return 'success';
  if (status === 'Unknown') return 'quiet';
  if (EXPECTED.has(reason) || reason.startsWith('WaitingFor')) return 'info';
  return type === 'InSync' || type === 'ClassUpToDate' ? 'warning' : 'danger';
}
