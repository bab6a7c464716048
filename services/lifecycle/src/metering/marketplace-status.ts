import type { PlatformStatus } from '@crate/api';
import type { Entitlement } from './marketplace.js';
import type { LedgerState } from './usage-ledger.js';

/** What is known of AWS Marketplace. */
export interface MarketplaceFacts {
  readonly ledger?: LedgerState;
  readonly isRegistered?: boolean;
  readonly dimension?: string;
  readonly clusters?: number;
  /** Absent: the offer is no contract. */
  readonly entitled?: readonly Entitlement[];
  /** What went wrong last, since something went well. */
  readonly failure?: string | undefined;
}

type Told = NonNullable<PlatformStatus['marketplace']>;

/** What people are told. Pure. */
export function marketplaceStatus(facts: MarketplaceFacts, now: Date): Told {
  const { ledger } = facts;
  const openHours = ledger?.open ?? 0;
  const sent = ledger?.lastSent === undefined ? {} : { lastReportedHour: ledger.lastSent.toISOString() };
  return { ...finding(facts, now), openHours, ...sent };
}

function finding(facts: MarketplaceFacts, now: Date): Pick<Told, 'reason' | 'message'> {
  const { failure, ledger, isRegistered } = facts;
  if (failure !== undefined) {
    return { reason: 'NotReported', message: `${failure}; clusters are served as ever, and it is tried again` };
  }
  const short = shortOf(facts, now);
  if (short !== undefined) return { reason: 'NotEntitled', message: `${short}; clusters are served as ever` };
  const missed = (ledger?.lost ?? 0) + (ledger?.refused ?? 0);
  if (missed > 0) return { reason: 'HoursMissed', message: `${missed} hours of the last week were not billed` };
  if (ledger?.lastSent !== undefined || isRegistered === true) {
    return { reason: 'Reported', message: 'AWS Marketplace knows what was used' };
  }
  return { reason: 'Waiting', message: 'No hour has ended yet that AWS Marketplace could be told of' };
}

/** What is used beyond what was bought; undefined: nothing. */
function shortOf({ entitled, clusters = 0, dimension = '' }: MarketplaceFacts, now: Date): string | undefined {
  if (!entitled) return undefined;
  const living = entitled.filter((each) => each.dimension === dimension && (!each.expiresAt || each.expiresAt > now));
  if (living.length === 0) return `Nothing is bought of ${dimension}, or its contract has ended`;
  if (living.some(({ quantity }) => quantity === undefined)) return undefined;
  const bought = living.reduce((sum, { quantity = 0 }) => sum + quantity, 0);
  return clusters > bought ? `${clusters} clusters are there, and ${bought} were bought` : undefined;
}
