import type { PlanCounts } from '@crate/api';
import {
  planDigest,
  plannedChanges,
  type DigestAlias,
  type PlannedChanges,
  type ResourceChange,
} from '@crate/terraform';
import { unnoticedSteps } from './unasked-steps.js';
import { planImpact, type ResourceImpact } from './plan-impact.js';

export type PlanStep = Pick<ResourceChange, 'address' | 'action'>;

/** What there is to say of a plan. */
export interface PlanReading {
  /** Of the plan in full. */
  readonly digest: string;
  /** Undefined when it cannot be told. */
  readonly impact: ResourceImpact | undefined;
  /** What is done to what. */
  readonly steps: readonly PlanStep[];
  /** Addresses of what is done without an impact, and puts nothing back that differs in the cloud. */
  readonly unnoticed: ReadonlySet<string>;
  readonly counts: PlanCounts;
  /** For people: bounded. */
  readonly shown: PlannedChanges;
}

export interface PlanReadingOptions {
  readonly aliases: readonly DigestAlias[];
  readonly redact?: (text: string) => string;
  readonly maxCharacters?: number;
}

/** Reads a masked plan. Pure. */
export function readPlan(document: Readonly<Record<string, unknown>>, options: PlanReadingOptions): PlanReading {
  const { aliases, redact, maxCharacters } = options;
  // Whole, and with no secret taken out: what is shown must not decide what is the same.
  const { resources } = plannedChanges(document, { maxCharacters: Infinity, marksNamedOnly: true });
  const bounds = { ...(redact ? { redact } : {}), ...(maxCharacters === undefined ? {} : { maxCharacters }) };
  return {
    digest: planDigest(resources, aliases),
    impact: planImpact(document, resources),
    steps: resources.map(({ address, action }) => ({ address, action })),
    unnoticed: unnoticedSteps(document, resources),
    counts: countsOf(resources),
    shown: plannedChanges(document, bounds),
  };
}

/** How many resources have what done to them. */
export function countsOf(resources: readonly Pick<ResourceChange, 'action'>[]): PlanCounts {
  const counts = { create: 0, update: 0, replace: 0, destroy: 0, import: 0, forget: 0 };
  for (const { action } of resources) counts[action] += 1;
  return counts;
}
