import type { Component } from '@crate/api';

/** Whether the version asked for has failed, and nobody has changed the spec since: it is not tried again by itself. */
export function isRejected(component: Component): boolean {
  const { version } = component.spec;
  return version !== undefined && hasFailed(component, version);
}

/** Whether this version has failed, and nobody has changed the spec since. */
export function hasFailed({ status, metadata }: Component, version: string): boolean {
  const last = status?.history?.[0];
  return last?.outcome === 'RolledBack' && last.to === version && last.generation === metadata.generation;
}
