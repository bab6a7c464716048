import type { Project } from '@crate/api';

/** What a Project may have so many of. */
export const QUOTAS = ['clusters', 'nodes', 'vcpu'] as const;

export type QuotaName = (typeof QUOTAS)[number];

export interface Quota {
  readonly used: number;
  /** Absent: none. */
  readonly limit?: number;
  /** Of the limit; 100 at most, and when the limit is 0. */
  readonly percent?: number;
  /** Nothing more is given out. */
  readonly isFull: boolean;
}

/** How much of one quota a Project takes up. Pure. */
export function quotaOf({ spec, status }: Project, what: QuotaName): Quota {
  const used = status?.usage?.[what] ?? 0;
  const limit = spec.quotas[what];
  if (limit === undefined) return { used, isFull: false };
  const percent = limit === 0 ? 100 : Math.min(100, Math.round((used / limit) * 100));
  return { used, limit, percent, isFull: used >= limit };
}
