import type { Component } from '@crate/api';

/** Whether the version asked for has failed, and nobody has changed the spec since: it is not tried again by itself. */
export function isRejected({ spec, status, metadata }: Component): boolean {
  const last = status?.history?.[0];
  return last?.outcome === 'RolledBack' && last.to === spec.version && last.generation === metadata.generation;
}
