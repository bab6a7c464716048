import type { EngineStateVersion, StateVersion } from '@crate/api';
import { oneLine } from '../output/visible.js';

/** Who works on a state; nobody where there is no holder. */
export interface ShownLock {
  readonly holder?: string;
  readonly operation?: string;
  readonly since?: string;
  /** `live` or `orphaned`. */
  readonly state?: string;
  readonly lastSeen?: string;
}

/** A version for people, one fact a line. */
export function versionLines(
  { metadata, spec }: StateVersion | EngineStateVersion,
  lock: ShownLock,
): readonly string[] {
  const { serial, newest, size, lineage, run, changedBy, reason, restoredFrom } = spec;
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ['Version', newest ? `${serial}, the newest` : serial],
    ['Stored', metadata.creationTimestamp],
    ['Size', `${size} bytes`],
    ...('infrastructureRef' in spec
      ? ([['Resources', spec.resources]] as const)
      : ([
          ['Kubernetes', spec.kubernetesVersion],
          ['Nodes', spec.nodes],
          ['Certificates', spec.certificates],
        ] as const)),
    ['Lineage', lineage],
    ['Run', run],
    ['Changed by', changedBy],
    ['Restored from', restoredFrom],
    ['Reason', reason],
    ['Lock', lockText(lock)],
  ];
  return facts.flatMap(([name, fact]) =>
    fact === undefined ? [] : [`${`${name}:`.padEnd(16)}${oneLine(String(fact))}`],
  );
}

function lockText({ holder, operation, since, state, lastSeen }: ShownLock): string {
  if (holder === undefined) return 'nobody holds it';
  const seen = lastSeen === undefined ? '' : `, last heard of at ${lastSeen}`;
  return `held by ${holder} for ${operation} since ${since}; ${state}${seen}`;
}
