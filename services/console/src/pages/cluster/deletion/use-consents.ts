import type { Cluster } from '@crate/api';
import { useSession } from '../../../app/session-context.js';
import { useNow } from '../../../components/use-now.js';
import { APPROVE, CONFIRM, consentOf, type Consent } from './consent.js';

/** What was consented to for a protected cluster, as far as it counts still. */
export interface Consents {
  readonly confirmed?: Consent | undefined;
  readonly approved?: Consent | undefined;
  /** The approval is the person's own: it counts for everybody else. */
  readonly isOwnApproval: boolean;
  /** Nothing of it counts for the person who looks. */
  readonly isMissing: boolean;
}

/** Consent to the deletion of the cluster, as it counts for this person now. */
export function useConsents(cluster: Cluster): Consents {
  const { user } = useSession();
  const now = useNow();
  if (cluster.spec.deletionProtection !== true) return { isOwnApproval: false, isMissing: false };
  const [confirmed, approved] = ([CONFIRM, APPROVE] as const).map((of) => fresh(consentOf(cluster, of, now)));
  const isOwnApproval = approved?.by === user;
  return { confirmed, approved, isOwnApproval, isMissing: !confirmed && (!approved || isOwnApproval) };
}

function fresh(consent: Consent | undefined): Consent | undefined {
  return consent?.isFresh === true ? consent : undefined;
}
