import { z } from 'zod';
import type { PolicyReviewResponse } from '../policy/policy-review.js';
import type { InfrastructureSpec } from './infrastructure.js';
import type { Impact } from '../lifecycle/impact.js';
import type { PlanCounts, PlannedResource } from './plan.js';

/** Stands for the key of machines while nobody has made one yet. */
export const PLACEHOLDER_SSH_KEY = 'ssh-ed25519 AAAA not-made-yet';

/** Asks cloud-mgmt what it would do for an Infrastructure, whether there is one or not. Nothing is stored. */
export const planPreviewRequest = z.strictObject({
  namespace: z.string(),
  /** Name of the Infrastructure. */
  name: z.string(),
  /** Its spec as it is wished for. */
  spec: z.looseObject({}),
  /** Plans to take everything away. */
  destroy: z.boolean().default(false),
  labels: z.record(z.string(), z.string()).optional(),
});

/** What `planPreviewRequest` takes, as a caller states it. */
export interface PlanPreviewRequest {
  readonly namespace: string;
  readonly name: string;
  readonly spec: InfrastructureSpec;
  readonly destroy?: boolean;
  /** As the Infrastructure would carry them: rules match by them. Absent: those it has. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** What Terraform would do, as far as it can be known beforehand. Holds no secret. */
export interface PlanPreview {
  /** The same for the same changes to the same things. */
  readonly digest: string;
  /** Version of cloud-mgmt that has planned it; absent: an older one, which did not say. */
  readonly release?: string;
  /** Where it would be done, as `provider/id`; absent: an older version has planned it, which did not say. */
  readonly account?: string;
  /** Of the newest stored state; absent: there is none. */
  readonly stateSerial?: number;
  readonly counts: PlanCounts;
  readonly resources: readonly PlannedResource[];
  /** Resources whose attributes are left out, because the plan is too large. */
  readonly omittedChanges: number;
  /** The highest impact and what has it; absent: it cannot be told. */
  readonly impact?: { readonly impact: Impact; readonly address: string };
  /** What policies say of the plan. */
  readonly review: PolicyReviewResponse;
}
