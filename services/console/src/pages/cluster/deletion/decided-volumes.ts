import type { Cluster } from '@crate/api';
import { KEEP_VOLUMES, REMOVE_VOLUMES } from './consent.js';

/** Volumes of which somebody said whether they outlive the cluster, by the annotation that says so. Pure. */
export function decidedVolumes({
  metadata,
}: Cluster): Readonly<Record<typeof KEEP_VOLUMES | typeof REMOVE_VOLUMES, readonly string[]>> {
  const named = (annotation: string): string[] =>
    (metadata.annotations?.[annotation] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
  return { [KEEP_VOLUMES]: named(KEEP_VOLUMES), [REMOVE_VOLUMES]: named(REMOVE_VOLUMES) };
}
