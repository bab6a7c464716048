/** Clusters of one hour. */
export interface Usage {
  readonly dimension: string;
  readonly hour: Date;
  readonly quantity: number;
}

/** What was bought of one dimension. */
export interface Entitlement {
  readonly dimension: string;
  /** Undefined where it is no number. */
  readonly quantity: number | undefined;
  readonly expiresAt: Date | undefined;
}

/**
 * The door to AWS Marketplace. `meter` throws Forbidden when AWS does not want the record, now or later, and every method Unavailable for
 * what else is in the way: it may be tried again. Both have AWS's code in their message.
 */
export abstract class Marketplace {
  /** Tells what was used in an hour and gives the id of the record. Idempotent for one sender. */
  abstract meter(usage: Usage, signal: AbortSignal): Promise<string>;
  /** Tells that the product runs here. */
  abstract register(signal: AbortSignal): Promise<void>;
  /** All that was bought. */
  abstract entitlements(signal: AbortSignal): Promise<readonly Entitlement[]>;
}
