import { PlatformError } from '@crate/errors';
import type { TerraformRun } from './terraform-run.repository.js';

export interface RunsSoFar {
  /** Newest first. */
  readonly runs: readonly Pick<TerraformRun, 'kind' | 'state' | 'planSummary' | 'endedAt'>[];
  /** By the clock that dates them, which is not the one of this host: see `TerraformRunRepository.now`. */
  readonly now: Date;
}

export interface ListingQuestion extends RunsSoFar {
  /** How long a new object may be missing from a listing. */
  readonly lagMs: number;
}

/**
 * Throws Unavailable (`WaitingForListing`) while a listing may not show yet what a run made that did not come to its end: what is taken
 * for not made is made a second time. A run that planned to create nothing has nothing to hide. Nor has a success and what is before it, whose
 * state knows what was made, unless somebody put another state in its place since. Pure.
 */
export function checkListing({ runs, lagMs, now }: ListingQuestion): void {
  const success = runs.findIndex(({ state }) => state === 'succeeded');
  const since = success < 0 ? runs : runs.slice(0, success);
  const unknown = since.some(({ kind }) => kind === 'edit') ? runs : since;
  const ends = unknown.filter(({ planSummary }) => (planSummary?.add ?? 0) > 0).map(({ endedAt }) => endedAt ?? now);
  const waitMs = Math.max(0, ...ends.map((end) => end.getTime() + lagMs - now.getTime()));
  if (lagMs === 0 || waitMs === 0) return;
  throw new PlatformError('Unavailable', 'The cloud may not list yet what an earlier run has made', {
    details: {
      reason: 'WaitingForListing',
      remedy: 'Nothing to do: it goes on as soon as the listing can be relied upon',
      retryAfterMs: waitMs,
    },
  });
}
