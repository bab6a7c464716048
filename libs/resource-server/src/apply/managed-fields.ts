import { type ManagedFieldsEntry, isJsonObject, type JsonObject } from '@crate/api';
import type { FieldSet } from './field-set.js';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.js';

/** One manager's share while a write is worked on. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time?: string;
  readonly fields: FieldSet;
  /** What the share was read from; tells nothing of `fields` that were worked out since. */
  readonly wire?: JsonObject;
}

/** Names a manager whatever it owns and whenever it wrote. */
export type ManagerKey = Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>;

/** The shares of all managers of an object; a manager without fields does not exist. */
export class Managers {
  private constructor(private readonly byId: ReadonlyMap<string, Manager>) {}

  static readonly NONE = new Managers(new Map());

  /** Undefined when an entry is malformed. */
  static parse(entries: unknown): Managers | undefined {
    if (entries === undefined) return Managers.NONE;
    if (!Array.isArray(entries)) return undefined;
    const parsed = entries.map(parseEntry);
    if (parsed.some((manager) => manager === undefined)) return undefined;
    return Managers.of(parsed as Manager[]);
  }

  static of(managers: Iterable<Manager>): Managers {
    const kept = [...managers].filter((manager) => !manager.fields.isEmpty);
    return new Managers(new Map(kept.map((manager) => [idOf(manager), manager])));
  }

  find(key: ManagerKey): Manager | undefined {
    return this.byId.get(idOf(key));
  }

  /** All but the one named. */
  others(key: ManagerKey): readonly Manager[] {
    return this.all.filter((manager) => idOf(manager) !== idOf(key));
  }

  get all(): readonly Manager[] {
    return [...this.byId.values()];
  }

  /** The wire form. A share that `before` has unchanged keeps its time, so that a repeated write changes nothing. */
  toEntries(before: Managers, now: string): ManagedFieldsEntry[] {
    return this.all
      .map((manager) => {
        const previous = before.find(manager);
        const isSame = previous?.apiVersion === manager.apiVersion && previous.fields.equals(manager.fields);
        if (!isSame) return toEntry(manager, now, toFieldsV1(manager.fields));
        return toEntry(previous, previous.time, previous.wire ?? toFieldsV1(previous.fields));
      })
      .sort(byOperationAndTime);
  }
}

/** An applier keeps its share across API versions; an updater has one per version. */
function idOf(key: ManagerKey): string {
  const version = key.operation === 'Apply' ? '' : key.apiVersion;
  return JSON.stringify([key.name, key.operation, version, key.subresource]);
}

function parseEntry(entry: unknown): Manager | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { manager, operation, apiVersion, subresource, time, fieldsV1 } = entry as Partial<ManagedFieldsEntry>;
  const fields = fromFieldsV1(fieldsV1);
  if (fields === undefined || (operation !== 'Apply' && operation !== 'Update')) return undefined;
  return {
    name: manager ?? '',
    operation,
    apiVersion: apiVersion ?? '',
    subresource: subresource ?? '',
    ...(time === undefined ? {} : { time }),
    fields,
    wire: fieldsV1 as JsonObject,
  };
}

function toEntry(manager: Manager, time: string | undefined, fieldsV1: JsonObject): ManagedFieldsEntry {
  return {
    manager: manager.name,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  };
}

function byOperationAndTime(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  const key = (entry: ManagedFieldsEntry): string =>
    [entry.operation, entry.time ?? '', entry.manager, entry.apiVersion, entry.subresource ?? ''].join('\n');
  return key(left) < key(right) ? -1 : 1;
}
