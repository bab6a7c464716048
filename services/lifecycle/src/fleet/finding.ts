import type { FleetCause, FleetHealth } from '@crate/api';
import type { Concern, Standing } from './attention.js';

/** Something to say about a cluster. */
export interface Finding {
  readonly health: FleetHealth;
  readonly concern: Concern;
  readonly cause: FleetCause;
  /** What becomes of it when nothing changes until then. */
  readonly later?: Standing & { readonly atMs: number };
}

/** A plan that somebody made for a cluster and nobody has approved. */
export interface OpenPlan {
  readonly name: string;
  readonly namespace: string;
  readonly summary: string;
  /** Since when it can be approved. */
  readonly since: string;
}
