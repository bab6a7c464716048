import type { KubeObject } from '@crate/api';

/** Something that happened to an object, for the person who owns it. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  /** PascalCase, from a small set per kind. */
  readonly reason: string;
  /** One line. Never holds a secret. What is told again in the same words is counted, so: no times, no ids of attempts. */
  readonly message: string;
  /** Of the pass that met it; not part of what makes two events the same. */
  readonly traceId?: string;
  /** Of use to those who look at this object only, not at the Cluster that it was made for. */
  readonly isInternal?: boolean;
}

/**
 * Tells people what happened. Best effort: never throws, never waits, and may drop what it is told when it is told too much.
 * Nothing may depend on an event having been recorded.
 */
export abstract class EventRecorder {
  abstract record(about: KubeObject, event: EventDraft): void;
}

/** Tells nobody. */
export class SilentEventRecorder extends EventRecorder {
  override record(): void {
    // Nobody listens.
  }
}

/** Remembers what it was told, for tests. */
export class InMemoryEventRecorder extends EventRecorder {
  readonly events: (EventDraft & { readonly kind: string; readonly name: string })[] = [];

  override record({ kind, metadata }: KubeObject, event: EventDraft): void {
    this.events.push({ kind, name: metadata.name, ...event });
  }

  /** Type and reason of each, in order. */
  get reasons(): readonly string[] {
    return this.events.map(({ type, reason }) => `${type} ${reason}`);
  }
}
