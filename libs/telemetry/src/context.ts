import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line and outgoing call inside a unit of work carries. */
export interface TelemetryContext {
  /** Correlates lines, events and errors across services: 32 hexadecimal digits. */
  readonly traceId?: string;
  /** One pass of one reconciler. */
  readonly reconcileId?: string;
  readonly reconciler?: string;
  /** The Cluster that the work is for, also when the object at hand is a child of it. */
  readonly cluster?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly generation?: number;
}

const storage = new AsyncLocalStorage<Record<string, unknown>>();

/** Runs `work` with `context` laid over the current one; everything awaited inside sees it. */
export function runWithContext<T>(context: TelemetryContext, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...context }, work);
}

/** Adds what was found out meanwhile (such as `uid` after the object was read) until the current unit of work ends. Outside of one it does nothing. */
export function extendContext(context: TelemetryContext): void {
  const current = storage.getStore();
  if (current) Object.assign(current, context);
}

/** The context of the current unit of work; empty outside of one. */
export function currentContext(): TelemetryContext {
  return storage.getStore() ?? {};
}
