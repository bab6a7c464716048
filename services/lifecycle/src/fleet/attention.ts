import type { FleetHealth } from '@crate/api';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Why somebody should look at a cluster, from the least pressing reason to the most. */
export const CONCERNS = [
  /** As asked for. */
  'None',
  /** Left alone on purpose, and maybe forgotten. */
  'Paused',
  /** Work that will most likely end by itself. */
  'UnderWay',
  /** It serves, and differs from what was asked for or breaks a rule. */
  'Differs',
  /** Work that has gone on for longer than it should. */
  'Lasting',
  /** It failed, and is tried again by itself. */
  'Retried',
  /** It serves with a part of it missing. */
  'Degraded',
  /** Somebody has to decide before it goes on. */
  'Decision',
  /** It should be gone, and something has been in the way for too long. */
  'Stuck',
  /** It failed for good, for long, or does not answer. */
  'Failed',
] as const;

export type Concern = (typeof CONCERNS)[number];

/** How far apart concerns are: more than time alone ever adds, so that time never turns their order around. */
const STEP = 10;

/** From these times on a cluster that stands so gets one more. */
const LONGER = [
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  3 * DAY_MS,
  7 * DAY_MS,
];

/** What there is to say about a cluster in one word, and how pressing it is. */
export interface Standing {
  readonly health: FleetHealth;
  readonly concern: Concern;
}

/** Where the concern stands among all: 0 is the least pressing. */
export function rankOf(concern: Concern): number {
  return CONCERNS.indexOf(concern);
}

/**
 * From 0 to 100: the rank first, and among equals how long it has stood. Whoever sorts by rank and then by time has sorted by this at
 * any time, because all grow older alike.
 */
export function attentionOf(rank: number, sinceMs: number, nowMs: number): number {
  if (rank === 0) return 0;
  const stood = nowMs - sinceMs;
  return rank * STEP + LONGER.filter((limit) => stood >= limit).length;
}
