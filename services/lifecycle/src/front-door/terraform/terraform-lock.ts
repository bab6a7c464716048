import { badRequest, type PlatformError } from '@crate/errors';
import { z } from 'zod';

/** What Terraform says of a lock that it wants. Source: statemgr.LockInfo of Terraform. */
const lockInfo = z.object({
  ID: z.string().min(1).max(200),
  Operation: z.string().max(200).default(''),
  Info: z.string().max(2_000).default(''),
  Who: z.string().max(400).default(''),
});

/** The lock as cloud-mgmt shows it. */
export interface ShownLock {
  readonly id: string;
  readonly holder: string;
  readonly operation: string;
  readonly since: string;
  readonly state: 'live' | 'orphaned';
  readonly epoch?: string;
  readonly info: string;
  /** A person holds it, not a run. */
  readonly isByHand?: boolean;
  readonly lastSeen?: string;
}

/** Throws BadRequest for what is no lock info. */
export function lockRequest(body: unknown): { id: string; operation: string; info: string } {
  const parsed = lockInfo.safeParse(body);
  if (!parsed.success) throw badRequest('The body must be the lock info of Terraform, with an ID');
  const { ID: id, Operation: operation, Info, Who } = parsed.data;
  return { id, operation, info: [Who, Info].filter((text) => text !== '').join(' ') };
}

/**
 * The holder in Terraform's words, with what it has no words for beside them. Of all this Terraform 1.11 prints the ID alone, next to a lock
 * info that is its own: so the ID goes on with what people have to know.
 */
export function lockAnswer(held: Partial<ShownLock>, error: PlatformError): Record<string, unknown> {
  const { id = '', holder = '', operation = '', since = '', state = 'live', epoch, info = '' } = held;
  const shown = `held by ${holder} for ${operation} since ${since}; ${stateText(held)}`;
  return {
    ID: `${id} (${shown})`,
    LockID: id,
    Operation: operation,
    Info: info,
    Who: holder,
    Created: since,
    State: state,
    ...(epoch === undefined ? {} : { Epoch: epoch }),
    Message: error.message,
    ...(error.details.remedy === undefined ? {} : { Remedy: error.details.remedy }),
  };
}

function stateText({ state, isByHand, lastSeen = '' }: Partial<ShownLock>): string {
  if (state !== 'orphaned') return isByHand ? 'live' : 'live: wait until the run is over';
  if (!isByHand) return 'orphaned: the run has died, and the platform takes over';
  return `orphaned: nothing was heard of the holder since ${lastSeen}; take the lock with terraform force-unlock`;
}
