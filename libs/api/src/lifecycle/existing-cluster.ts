import type { z } from 'zod';
import { withoutUndefined } from '../object/json.js';
import type { Cluster, ClusterSpec } from './cluster.js';
import { EXISTING } from './kubernetes-versions.js';

type Said<T, K extends keyof T> = { [P in K]-?: NonNullable<T[P]> };

/** What only clusters have that Crate makes. */
type OfMade = 'accountRef' | 'region' | 'network' | 'controlPlane';

/** The spec of a cluster that Crate makes: everything that machines need is said. */
export type MadeClusterSpec = Omit<ClusterSpec, OfMade | 'kubernetes'> &
  Said<ClusterSpec, OfMade> & {
    kubernetes: { engine: Exclude<ClusterSpec['kubernetes']['engine'], typeof EXISTING>; version: string };
  };

type Stated = Pick<ClusterSpec, 'kubernetes'>;

/** True for a cluster that was there before Crate, and that it neither makes, nor changes the nodes of, nor takes away. */
export function isExisting({ spec }: { readonly spec: Stated }): boolean {
  return spec.kubernetes.engine === EXISTING;
}

/** The spec with what only a made cluster has; undefined for an existing one. */
export function madeSpecOf({ spec }: Pick<Cluster, 'spec'>): MadeClusterSpec | undefined {
  return isExisting({ spec }) ? undefined : (spec as MadeClusterSpec);
}

interface Draft {
  readonly kubernetes?: { readonly engine?: string } | undefined;
  readonly accountRef?: unknown;
  readonly region?: unknown;
}

/** Asks of a cluster that is to be made where, and on whose account. */
export function requireOfMade(spec: Draft, context: z.core.$RefinementCtx): void {
  if (spec.kubernetes?.engine === EXISTING) return;
  const missing = { code: 'invalid_type', input: undefined } as const;
  if (spec.accountRef === undefined) context.addIssue({ ...missing, expected: 'object', path: ['accountRef'] });
  if (spec.region === undefined) context.addIssue({ ...missing, expected: 'string', path: ['region'] });
}

/** Fills in what every made cluster has; an existing one has no machines of ours. */
export function completeSpec<T extends Draft & object>(spec: T, defaults: Partial<T>): T {
  if (spec.kubernetes?.engine === EXISTING) return spec;
  return { ...structuredClone(defaults), ...withoutUndefined(spec) } as T;
}
