import type { PolicyWaiver, PolicyWaiverStatus } from '@crate/api';
import { PLATFORM_ADMIN_GROUP, RESERVED_PREFIX } from '@crate/auth';
import type { WaiverAuthority } from '@crate/policy-engine';
import type { Caller } from '@crate/resource-client';
import { z } from 'zod';

/** Who asked for a waiver, who approved it and who took it back. In the metadata, where only this service can write them. */
export const REQUESTED_BY_ANNOTATION = 'policy.crate.dev/requested-by';
export const APPROVALS_ANNOTATION = 'policy.crate.dev/approvals';
export const REVOKED_ANNOTATION = 'policy.crate.dev/revoked';

/** A waiver takes two people: the one who asked, and another who approves. */
const PEOPLE_NEEDED = 2;

export type Approval = NonNullable<PolicyWaiverStatus['approvals']>[number];
export type Mark = NonNullable<PolicyWaiverStatus['revoked']>;

/** What has been decided about a waiver. */
export interface WaiverFacts {
  readonly requestedBy: string;
  readonly approvals: readonly Approval[];
  /** Present once somebody took it back. */
  readonly revoked?: Mark;
  readonly expiresAtMs: number;
}

/** That enough people approved. */
export interface Approved {
  readonly by: string;
  readonly at: string;
  readonly authority: WaiverAuthority;
}

const mark = z.object({ by: z.string(), at: z.string() });
const approvals = z.array(mark.extend({ as: z.enum(['ProjectAdmin', 'PlatformAdmin']) }));

/** Of an annotation that cannot be read: no approval, and a revocation by nobody one knows. */
export function factsOf({ metadata, spec }: PolicyWaiver): WaiverFacts {
  const { annotations = {} } = metadata;
  const revoked = annotations[REVOKED_ANNOTATION];
  return {
    requestedBy: annotations[REQUESTED_BY_ANNOTATION] ?? '',
    approvals: approvals.safeParse(parsed(annotations[APPROVALS_ANNOTATION])).data ?? [],
    ...(revoked === undefined ? {} : { revoked: mark.safeParse(parsed(revoked)).data ?? { by: '', at: '' } }),
    expiresAtMs: Date.parse(spec.expiresAt),
  };
}

/** Undefined until two people stand behind the waiver. Nobody knows who stands behind a machine, so what one asks for takes two to approve. */
export function approvalOf({ requestedBy, approvals: given }: WaiverFacts): Approved | undefined {
  const people = new Set(isPerson({ user: requestedBy }) ? [requestedBy] : []);
  for (const { by, at } of given) {
    people.add(by);
    if (people.size < PEOPLE_NEEDED) continue;
    const authority = given.some((approval) => approval.as === 'PlatformAdmin') ? 'PlatformAdmin' : 'ProjectAdmin';
    return { by: [...new Set(given.map((approval) => approval.by))].join(', '), at, authority };
  }
  return undefined;
}

/** Where a waiver stands. */
export type WaiverState = 'WaitingForApproval' | 'InForce' | 'Expired' | 'Revoked';

export function stateOf(facts: WaiverFacts, nowMs: number): WaiverState {
  if (facts.revoked) return 'Revoked';
  if (nowMs >= facts.expiresAtMs) return 'Expired';
  return approvalOf(facts) ? 'InForce' : 'WaitingForApproval';
}

/** True for somebody with a face: neither an API key nor a service. */
export function isPerson({ user }: Pick<Caller, 'user'>): boolean {
  return user !== '' && !user.startsWith(RESERVED_PREFIX);
}

/** As whom a person approves. The front door lets nobody approve who is not at least an administrator of the Project. */
export function authorityOf({ groups }: Pick<Caller, 'groups'>): WaiverAuthority {
  return groups.includes(PLATFORM_ADMIN_GROUP) ? 'PlatformAdmin' : 'ProjectAdmin';
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
