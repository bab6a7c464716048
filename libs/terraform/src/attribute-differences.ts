import { isDeepStrictEqual } from 'node:util';
import { isMarked, isPlain } from './json.js';

/** One attribute that is not afterwards what it is before. */
export interface AttributeDifference {
  /** Such as `tags.Name` or `root_block_device[0].volume_size`. */
  readonly path: string;
  /** Absent: there is none. */
  readonly before?: unknown;
  /** Absent: there is none, or it is not known yet. */
  readonly after?: unknown;
  readonly isUnknown?: true;
  /** The values are masked. */
  readonly isSensitive?: true;
}

const MASK = '(sensitive value)';

/** `before`, `after`, and the marks beside them, which have the shape of the values with `true` where they apply. */
interface Values {
  readonly before: unknown;
  readonly after: unknown;
  readonly unknown: unknown;
  readonly sensitive: readonly unknown[];
}

/**
 * Compares the two sides of a change as `terraform show -json` has it, down to single attributes and entries of maps. It is given the
 * values themselves, so that sensitive ones can be compared; what it gives has them masked. Pure.
 */
export function attributeDifferences(change: Readonly<Record<string, unknown>>): readonly AttributeDifference[] {
  return differences('', {
    before: change['before'],
    after: change['after'],
    unknown: change['after_unknown'],
    sensitive: [change['before_sensitive'], change['after_sensitive']],
  });
}

function differences(path: string, values: Values): readonly AttributeDifference[] {
  const { before, after, unknown, sensitive } = values;
  if (isSame(before, after) && !isMarked(unknown)) return [];
  const keys = keysToDescend(path, values);
  // A mark on the whole stands for every part of it.
  if (keys === undefined || sensitive.includes(true)) return [leaf(path, values)];
  return keys.flatMap((key) =>
    differences(pathOf(path, key), {
      before: field(before, key),
      after: field(after, key),
      unknown: field(unknown, key),
      sensitive: sensitive.map((marks) => field(marks, key)),
    }),
  );
}

/** Objects are compared field by field, lists of blocks one by one; everything else as a whole. */
function keysToDescend(path: string, { before, after, unknown }: Values): readonly (string | number)[] | undefined {
  const sides = [before, after].filter((side) => side !== undefined && side !== null);
  if (path === '' || (sides.length > 0 && sides.every(isPlain))) {
    return [...new Set([before, after, unknown].flatMap((side) => (isPlain(side) ? Object.keys(side) : [])))].sort();
  }
  const isBlocks = isListOfBlocks(before) && isListOfBlocks(after) && before.length === after.length;
  return isBlocks ? before.map((_, index) => index) : undefined;
}

function leaf(path: string, { before, after, unknown, sensitive }: Values): AttributeDifference {
  const isSensitive = sensitive.some(isMarked);
  const shown = (value: unknown): unknown => (isSensitive ? MASK : value);
  return {
    path,
    ...(isEmpty(before) ? {} : { before: shown(before) }),
    ...(isEmpty(after) ? {} : { after: shown(after) }),
    ...(isMarked(unknown) ? { isUnknown: true } : {}),
    ...(isSensitive ? { isSensitive } : {}),
  };
}

function pathOf(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

function isSame(left: unknown, right: unknown): boolean {
  return (isEmpty(left) && isEmpty(right)) || isDeepStrictEqual(left, right);
}

/** Providers write nothing as null, as an empty text or as an empty list, as they please. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isListOfBlocks(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isPlain);
}

function field(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}
