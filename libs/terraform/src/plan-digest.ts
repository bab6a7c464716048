import { createHash } from 'node:crypto';
import type { AttributeChange, ResourceChange } from './planned-changes.js';

/** A text that differs from one owner to the next although the plan is the same, and what stands for it. */
export type DigestAlias = readonly [text: string, alias: string];

/**
 * Tells two plans apart: equal for the same changes to the same things, whenever and wherever they are planned. What is only known
 * after the apply has no value in it, and of what goes away only which one it is. Hex SHA-256.
 */
export function planDigest(resources: readonly ResourceChange[], aliases: readonly DigestAlias[] = []): string {
  const lines = resources.map((resource) => JSON.stringify(essenceOf(resource))).sort();
  // The longest first: one may be a part of another.
  const ordered = aliases.filter(([from]) => from !== '').toSorted(([left], [right]) => right.length - left.length);
  const text = ordered.reduce((all, [from, to]) => all.replaceAll(quoted(from), to), lines.join());
  return createHash('sha256').update(text).digest('hex');
}

function essenceOf({ address, action, changes }: ResourceChange): unknown {
  const telling = action === 'destroy' || action === 'forget' ? changes.filter(({ path }) => path === 'id') : changes;
  return [address, action, telling.map(valuesOf).sort((left, right) => (left[0] < right[0] ? -1 : 1))];
}

function valuesOf(change: AttributeChange): readonly [path: string, ...rest: readonly unknown[]] {
  const { path, before, after, isUnknown = false, forcesReplacement = false } = change;
  return [path, canonical(before), isUnknown ? null : canonical(after), isUnknown, forcesReplacement];
}

/** The order of keys says nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, canonical(entry)]));
}

/** As it stands inside of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
