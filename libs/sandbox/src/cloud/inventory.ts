import type { DurableMap } from '../journal/durable-map.js';
import { RESOURCE_TYPES } from './aws/catalog.js';
import type { CloudObject, Reference } from './aws/resource-type.js';
import { isObject, type Value, type Values } from './terraform/value.js';

const PREFIX = 'object/';

/** What a listing is limited to; absent means any. */
export interface InventoryFilter {
  readonly account?: string;
  readonly type?: string;
  /** Objects that carry every one of these tags. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** Where to look. */
export type Place = Pick<CloudObject, 'account' | 'region'>;

/** An object that names another one. */
export interface Referrer {
  readonly object: CloudObject;
  readonly reference: Reference;
}

/**
 * Every object of the simulated cloud, of all accounts, kept on disk. A change is visible at once and durable once
 * `flush` resolves.
 */
export class Inventory {
  private readonly byType = new Map<string, Map<string, CloudObject>>();
  private readonly referrers = new Map<string, Set<CloudObject>>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly store: DurableMap) {
    for (const [, object] of store.list(PREFIX)) this.index(object as CloudObject);
  }

  /** IAM has no regions: its objects are found from each. */
  find(place: Place, type: string, id: string): CloudObject | undefined {
    return this.byType.get(typeKey(place, type))?.get(id);
  }

  /** Objects of a type in one account and region. */
  ofType(place: Place, type: string): Iterable<CloudObject> {
    return this.byType.get(typeKey(place, type))?.values() ?? [];
  }

  /** Objects of a type in every account. */
  *everywhere(type: string): Generator<CloudObject> {
    for (const [key, objects] of this.byType) {
      if (key.endsWith(`/${type}`)) yield* objects.values();
    }
  }

  /** Objects in the order of their creation. */
  list(filter: InventoryFilter = {}): CloudObject[] {
    const tags = Object.entries(filter.tags ?? {});
    const found: CloudObject[] = [];
    for (const objects of this.byType.values()) {
      for (const object of objects.values()) {
        if (filter.account !== undefined && object.account !== filter.account) continue;
        if (filter.type !== undefined && object.type !== filter.type) continue;
        if (tags.every(([key, value]) => object.tags[key] === value)) found.push(object);
      }
    }
    return found.sort((left, right) => (left.createdAt < right.createdAt ? -1 : 1));
  }

  /** Objects that name this one in a reference. */
  referrersOf(target: CloudObject): Referrer[] {
    return [...(this.referrers.get(keyOf(target)) ?? [])].flatMap((object) =>
      referencesOf(object.type)
        .filter((reference) => this.targetsOf(object, reference).includes(keyOf(target)))
        .map((reference) => ({ object, reference })),
    );
  }

  /** What is in a network, or in something that is, and keeps it from being removed. */
  inNetwork(vpcId: string): ReadonlySet<CloudObject> {
    const found = new Set<CloudObject>();
    const open = this.list({ type: 'aws_vpc' }).filter(({ id }) => id === vpcId);
    for (const target of open) {
      for (const { object, reference } of this.referrersOf(target)) {
        if (reference.onDelete !== 'refuse' || found.has(object)) continue;
        found.add(object);
        open.push(object);
      }
    }
    return found;
  }

  put(object: CloudObject): void {
    const before = this.find(object, object.type, object.id);
    if (before) this.unindex(before);
    this.index(object);
    this.store.put(PREFIX + keyOf(object), object);
    this.notify();
  }

  remove(object: CloudObject): void {
    const current = this.find(object, object.type, object.id);
    if (!current) return;
    this.unindex(current);
    this.store.delete(PREFIX + keyOf(current));
    this.notify();
  }

  flush(): Promise<void> {
    return this.store.flush();
  }

  /** Calls `listener` after every change; returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }

  private index(object: CloudObject): void {
    const key = typeKey(object, object.type);
    const objects = this.byType.get(key) ?? new Map<string, CloudObject>();
    this.byType.set(key, objects.set(object.id, object));
    for (const target of this.allTargetsOf(object)) {
      this.referrers.set(target, (this.referrers.get(target) ?? new Set()).add(object));
    }
  }

  private unindex(object: CloudObject): void {
    this.byType.get(typeKey(object, object.type))?.delete(object.id);
    for (const target of this.allTargetsOf(object)) {
      const referrers = this.referrers.get(target);
      referrers?.delete(object);
      if (referrers?.size === 0) this.referrers.delete(target);
    }
  }

  private allTargetsOf(object: CloudObject): string[] {
    return referencesOf(object.type).flatMap((reference) => this.targetsOf(object, reference));
  }

  private targetsOf(object: CloudObject, reference: Reference): string[] {
    return referenceValues(object.attributes, reference).map((id) => `${typeKey(object, reference.type)}/${id}`);
  }
}

/** Ids that `reference` names in `attributes`; its path may lead through a list of blocks. */
export function referenceValues(attributes: Values, reference: Reference): string[] {
  let values: Value[] = [attributes];
  for (const step of reference.attribute.split('.')) {
    values = values.flatMap((value) => (isObject(value) ? [value[step] ?? null] : [])).flatMap(asList);
  }
  return values.filter((value) => typeof value === 'string' && value !== '') as string[];
}

/** The region that objects of a type are kept under. */
export function regionOf(type: string, region: string): string {
  return RESOURCE_TYPES.get(type)?.service === 'IAM' ? 'global' : region;
}

function typeKey({ account, region }: Place, type: string): string {
  return `${account}/${regionOf(type, region)}/${type}`;
}

function asList(value: Value): Value[] {
  return Array.isArray(value) ? (value as Value[]) : [value];
}

function referencesOf(type: string): readonly Reference[] {
  return RESOURCE_TYPES.get(type)?.references ?? [];
}

function keyOf(object: CloudObject): string {
  return `${typeKey(object, object.type)}/${object.id}`;
}
