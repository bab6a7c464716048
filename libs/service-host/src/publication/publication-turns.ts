import { createHash } from 'node:crypto';
import { canonicalJson } from '@crate/resource-server';

/** By which a replica wants what ships with it to count. */
export interface PublicationClaim {
  /** Of `releaseOf`. */
  readonly release: string;
  /** A release that starts counts from then on, whichever counted before. */
  readonly isStart: boolean;
  /** Another one counts once the one that did has not published for so long. */
  readonly patienceMs: number;
  /** Aborted, the turn is not waited for any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Replicas publish one after the other; of what ships with releases that run side by side, that of one counts. */
export abstract class PublicationTurns {
  /** Runs `publish` while no other replica does, and tells it whether its release counts. A turn that fails renews nothing. */
  abstract take<T>(claim: PublicationClaim, publish: (counts: boolean) => Promise<T>): Promise<T>;
}

/** Tells releases apart by what ships with them: JSON. */
export function releaseOf(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
