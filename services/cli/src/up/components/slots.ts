import type { Wanted } from './wanted.js';

/** A place for one process of a service. */
export interface Slot {
  readonly name: string;
  readonly version: string;
  readonly isReady: boolean;
  /** There only while versions change. */
  readonly isExtra: boolean;
}

/** One change of what runs. */
export type Change =
  | { readonly do: 'start'; readonly name: string; readonly version: string }
  | { readonly do: 'replace'; readonly name: string; readonly version: string }
  | { readonly do: 'stop'; readonly name: string };

/**
 * The next change on the way from `slots` to what is wanted; undefined: none, or one has to become ready first. The extra slot comes first
 * and goes last, so that there are never fewer that answer than there were: what is replaced has another one ready beside it, unless it is
 * not ready itself. What is held changes nothing but the extra slot. Pure.
 */
export function nextChange(slots: readonly Slot[], wanted: Wanted, extraName: string): Change | undefined {
  const extra = slots.find(({ isExtra }) => isExtra);
  const extraVersion = extraVersionOf(slots, wanted);
  if (extra?.version !== extraVersion) return extraChange(extra?.name ?? extraName, extra !== undefined, extraVersion);
  if (wanted.next?.stage === 'Held') return undefined;
  const version = wanted.next?.stage === 'All' ? wanted.next.version : wanted.version;
  const wrong = slots.find((slot) => !slot.isExtra && slot.version !== version);
  return wrong && mayGo(wrong, slots) ? { do: 'replace', name: wrong.name, version } : undefined;
}

/** What the extra slot has to run; undefined: it is not needed. Once it is there, the others have to be ready without it. */
function extraVersionOf(slots: readonly Slot[], { version, next }: Wanted): string | undefined {
  if (next) return next.version;
  const isThere = slots.some(({ isExtra }) => isExtra);
  const isNeeded = slots.some((slot) => !slot.isExtra && (slot.version !== version || (isThere && !slot.isReady)));
  return isNeeded ? version : undefined;
}

function extraChange(name: string, isThere: boolean, version: string | undefined): Change {
  if (version === undefined) return { do: 'stop', name };
  return { do: isThere ? 'replace' : 'start', name, version };
}

/** Whether all others answer in its place, or it does not answer anyway. */
function mayGo(slot: Slot, slots: readonly Slot[]): boolean {
  return !slot.isReady || slots.every((other) => other === slot || other.isReady);
}
