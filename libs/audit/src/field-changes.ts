import { isDeepStrictEqual } from 'node:util';
import { REDACTED } from '@crate/telemetry';
import type { FieldChange } from './record.js';
import { SecretPlace, type SecretSchema } from './redaction.js';

/** A diff with as many changes as there is room for. */
export interface Diff {
  readonly changes: readonly FieldChange[];
  /** Changes without room. */
  readonly omitted: number;
}

/** Names and values of fields that the server keeps, or that repeat the rest. */
const LEFT_OUT = new Set([
  '/apiVersion',
  '/kind',
  '/metadata/managedFields',
  '/metadata/resourceVersion',
  '/metadata/generation',
  '/metadata/uid',
  '/metadata/creationTimestamp',
  '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration',
]);

const MAX_CHANGES = 64;
const MAX_TOTAL = 8_192;
const MAX_VALUE = 1_024;
const SHOWN_OF_LONG = 256;

/**
 * What changed from one JSON value to another, field by field, without secrets: the values of fields that the schema calls
 * `writeOnly`, or whose name or shape gives them away, read `[redacted]`. Bounded in number and size.
 */
export function fieldChanges(before: unknown, after: unknown, schema?: SecretSchema): Diff {
  const walk = new Walk();
  walk.compare({ path: '', secrets: SecretPlace.of(schema), isSecret: false }, before, after);
  return { changes: walk.changes, omitted: walk.omitted };
}

interface Place {
  readonly path: string;
  readonly secrets: SecretPlace;
  readonly isSecret: boolean;
}

class Walk {
  readonly changes: FieldChange[] = [];
  omitted = 0;
  private room = MAX_TOTAL;

  compare(place: Place, before: unknown, after: unknown): void {
    if (before === after || LEFT_OUT.has(place.path)) return;
    if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
      return this.compareMembers(place, before, after);
    }
    // The whole object came or went: its fields one by one, so that what is left out is left out.
    if (place.path === '' || place.path === '/metadata' || place.path === '/metadata/annotations') {
      return this.compareMembers(place, isContainer(before) ? before : {}, isContainer(after) ? after : {});
    }
    this.add(place, before, after);
  }

  private compareMembers(place: Place, before: object, after: object): void {
    const isList = Array.isArray(before) && Array.isArray(after);
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const key of keys) {
      const [old, now] = [memberOf(before, key), memberOf(after, key)];
      // Most of an object is as it was: what a schema says of it need not be looked up.
      if (isDeepStrictEqual(old, now)) continue;
      const step = isList ? Number(key) : key;
      const secrets = place.secrets.member(step);
      const below = {
        path: `${place.path}/${escaped(key)}`,
        secrets,
        isSecret: place.isSecret || secrets.isSecret(step),
      };
      this.compare(below, old, now);
    }
  }

  private add(place: Place, before: unknown, after: unknown): void {
    const change: FieldChange = {
      path: place.path,
      ...(before === undefined ? {} : { from: shown(before, place) }),
      ...(after === undefined ? {} : { to: shown(after, place) }),
    };
    const size = JSON.stringify(change).length;
    if (this.changes.length >= MAX_CHANGES || size > this.room) {
      this.omitted += 1;
      return;
    }
    this.room -= size;
    this.changes.push(change);
  }
}

function shown(value: unknown, place: Place): unknown {
  if (place.isSecret) return REDACTED;
  const redacted = place.secrets.redact(value);
  const text = typeof redacted === 'string' ? redacted : JSON.stringify(redacted);
  if (text.length <= MAX_VALUE) return redacted;
  return `${text.slice(0, SHOWN_OF_LONG)}… (${text.length} characters)`;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function memberOf(container: object, key: string): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined;
}

/** RFC 6901. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
