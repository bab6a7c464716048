import type { CallContext } from '@crate/resource-client';

/** Revision of a hint on an object that did not change: its key is due for another reason, and the work queue knows so already. */
export const UNCHANGED = '0';

/** "Look at this": a change hint. Losing one costs latency only. */
export interface ChangeHint {
  readonly service: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** To look for in the change log, or `UNCHANGED`. */
  readonly revision: string;
}

/**
 * Calls another service by request/reply with a service JWT in the headers.
 * Throws the PlatformError the peer answered with, Unavailable when nobody listens, Timeout.
 */
export abstract class ServiceCaller {
  abstract call<T>(
    service: string,
    method: string,
    body: unknown,
    context: CallContext,
    timeoutMs?: number,
  ): Promise<T>;
}

/** Publishes and receives change hints. */
export abstract class HintBus {
  abstract publish(hints: readonly ChangeHint[]): void;
  /** Hints from every service and replica, this one included; returns a function that stops it. */
  abstract subscribe(listener: (hint: ChangeHint) => void): () => void;
}
