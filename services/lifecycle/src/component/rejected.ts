import type { Component } from '@crate/api';

/** Whether the version asked for has failed, and nobody has changed the spec since: it is not tried again by itself. */
export function isRejected(component: Component): boolean {
  const { version } = component.spec;
  return version !== undefined && hasEnded(component, version) && outcomeOf(component) === 'RolledBack';
}

/** Whether the last upgrade went to this version and is over, and nobody has changed the spec since. */
export function hasEnded({ status, metadata }: Component, version: string): boolean {
  const last = status?.history?.[0];
  return last?.to === version && last.generation === metadata.generation;
}

function outcomeOf({ status }: Component): string | undefined {
  return status?.history?.[0]?.outcome;
}
