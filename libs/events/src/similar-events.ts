import type { KubeObject } from '@crate/api';
import type { EventDraft } from '@crate/reconcile';
import { setBounded } from './set-bounded.js';

/** From so many different messages of one reason on, within the window, they are told together. */
const MOST_MESSAGES = 10;
const WINDOW_MS = 10 * 60_000;
const GROUPS = 4096;

/** Prefix of the message of events that are told together, as client-go has it. */
export const COMBINED_PREFIX = '(combined from similar events): ';

/** Tells when an object repeats itself in ever different words. */
export class SimilarEvents {
  private readonly groups = new Map<string, { readonly messages: Set<string>; readonly since: number }>();

  /** True when this event should be told as one of many. */
  isOneOfMany({ metadata }: KubeObject, { type, reason, message }: EventDraft, now: number): boolean {
    const key = [metadata.uid, type, reason].join('\n');
    const known = this.groups.get(key);
    const group = known && now - known.since < WINDOW_MS ? known : { messages: new Set<string>(), since: now };
    setBounded(this.groups, key, group, GROUPS);
    if (group.messages.has(message)) return false;
    if (group.messages.size >= MOST_MESSAGES) return true;
    group.messages.add(message);
    return false;
  }
}
