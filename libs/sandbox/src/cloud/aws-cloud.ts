import { conflict, invalidSpec } from '@crate/errors';
import { AwsError } from './aws/aws-error.js';
import { RESOURCE_TYPES } from './aws/catalog.js';
import type { CloudContext, CloudObject, Reference, ResourceType, Scope } from './aws/resource-type.js';
import { text } from './aws/values.js';
import { AwsQuotas } from './aws-quotas.js';
import { lostAnswer, type Faults } from './faults.js';
import type { HeldCalls } from './held-calls.js';
import { referenceValues, regionOf, type Inventory, type Referrer } from './inventory.js';
import { wait, type Latency } from './latency.js';
import { RoundTrip, type CloudCall } from './round-trip.js';
import { isObject, type Values } from './terraform/value.js';

/** Addresses that are given out once in the whole sandbox. */
export interface Addresses {
  nextPublic(): string;
  nextLoopback(): string;
}

export interface AwsCloudOptions {
  readonly inventory: Inventory;
  readonly faults: Faults;
  readonly held: HeldCalls;
  readonly latency: Latency;
  readonly addresses: Addresses;
  readonly now?: () => Date;
}

/**
 * The simulated AWS: the calls that the Terraform provider makes. Each call takes its latency, meets the faults in
 * force, and then looks and acts in one turn, so that calls never see each other half done. Throws CallError.
 */
export class AwsCloud {
  private readonly inventory: Inventory;
  private readonly faults: Faults;
  private readonly quotas: AwsQuotas;
  private readonly roundTrip: RoundTrip;
  private readonly now: () => Date;

  constructor(private readonly options: AwsCloudOptions) {
    this.inventory = options.inventory;
    this.faults = options.faults;
    this.quotas = new AwsQuotas(options.inventory, options.faults);
    this.roundTrip = new RoundTrip(options.faults, options.held, options.latency);
    this.now = options.now ?? ((): Date => new Date());
  }

  /** Makes an object; resolves once it is available. */
  async create(call: CloudCall, values: Values): Promise<Values> {
    const { scope, type } = call;
    const name = type.nameOf?.(values) ?? '';
    return this.roundTrip.perform(
      call,
      { doing: `creating ${type.label}${parenthesised(name)}`, action: 'create' },
      async () => {
        const delay = await this.roundTrip.request(call, 'create');
        const created = this.insert(scope, type, values);
        await this.inventory.flush();
        await this.roundTrip.answer(call, 'create');
        if (this.faults.hit('timeout-after-success', scope, type.name)) throw lostAnswer(type.service, scope.region);
        await wait(delay);
        return this.inventory.find(created, created.type, created.id)?.attributes ?? created.attributes;
      },
    );
  }

  /** Attributes of an object; undefined when it is gone. */
  async read(call: CloudCall, id: string): Promise<Values | undefined> {
    const { scope, type } = call;
    return this.roundTrip.perform(call, { doing: `reading ${type.label} (${id})`, action: 'read' }, async () => {
      await this.roundTrip.look(call);
      const object = this.inventory.find(scope, type.name, id);
      const seen = object && this.isVisible(scope, object) ? object.attributes : undefined;
      await this.roundTrip.answer(call, 'read');
      return seen;
    });
  }

  /** Changes an object in place. */
  async update(call: CloudCall, id: string, values: Values): Promise<Values> {
    const { scope, type } = call;
    return this.roundTrip.perform(call, { doing: `updating ${type.label} (${id})`, action: 'update' }, async () => {
      const delay = await this.roundTrip.request(call, 'update');
      const object = this.inventory.find(scope, type.name, id);
      if (!object) throw type.missing(id);
      this.checkReferences(scope, type, values);
      const changed = type.update?.(values, this.context(scope), object.attributes) ?? values;
      const attributes = { ...object.attributes, ...changed };
      this.inventory.put({ ...object, attributes, tags: this.tagsOf(scope, type, attributes) });
      await this.inventory.flush();
      await this.roundTrip.answer(call, 'update');
      await wait(delay);
      return attributes;
    });
  }

  /** Removes an object and what goes with it; settled when it is gone already. */
  async delete(call: CloudCall, id: string): Promise<void> {
    const { scope, type } = call;
    return this.roundTrip.perform(call, { doing: `deleting ${type.label} (${id})`, action: 'delete' }, async () => {
      const delay = await this.roundTrip.request(call, 'delete');
      await wait(this.faults.hit('slow-deletion', scope, type.name)?.delayMs ?? 0);
      const object = this.inventory.find(scope, type.name, id);
      if (object) this.removeWithDependents(scope, type, object);
      await this.inventory.flush();
      await this.roundTrip.answer(call, 'delete');
      if (object && this.faults.hit('timeout-after-success', scope, type.name)) {
        throw lostAnswer(type.service, scope.region);
      }
      await wait(delay);
    });
  }

  /**
   * Removes an object as somebody else would, beside Terraform: at once, and whatever faults are in force.
   * Throws Conflict while another object depends on it.
   */
  async remove(object: CloudObject): Promise<void> {
    const type = RESOURCE_TYPES.get(object.type);
    if (!type) return;
    try {
      this.removeWithDependents({ account: object.account, region: object.region }, type, object);
    } catch (error) {
      if (error instanceof AwsError) throw conflict(`${error.code}: ${error.message}`);
      throw error;
    }
    await this.inventory.flush();
  }

  /**
   * Changes an object as somebody else would, beside Terraform: at once, and whatever faults are in force. Throws InvalidSpec for an
   * attribute that its type does not have.
   */
  async change(object: CloudObject, changes: Values): Promise<void> {
    const type = RESOURCE_TYPES.get(object.type);
    if (!type) return;
    const { attributes: known, blocks = {} } = type.block;
    const unknown = Object.keys(changes).filter((name) => !(name in known) && !(name in blocks));
    if (unknown.length > 0) throw invalidSpec(`${object.type} has no attribute ${unknown.join(', ')}`, []);
    // Both show the tags of the object itself; the provider here has none of its own.
    const tags = changes['tags'] === undefined ? {} : { tags_all: changes['tags'] };
    const attributes = { ...object.attributes, ...changes, ...tags };
    const { account, region } = object;
    this.inventory.put({ ...object, attributes, tags: this.tagsOf({ account, region }, type, attributes) });
    await this.inventory.flush();
  }

  /** The object that `terraform import` means by `importId`. */
  findByImportId(scope: Scope, type: ResourceType, importId: string): CloudObject | undefined {
    for (const object of this.context(scope).list(type.name)) {
      if (object.importId === importId) return object;
    }
    return undefined;
  }

  private insert(scope: Scope, type: ResourceType, values: Values): CloudObject {
    this.checkReferences(scope, type, values);
    this.quotas.check(scope, type, values);
    const attributes = type.create(values, this.context(scope));
    const object: CloudObject = {
      provider: 'aws',
      account: scope.account,
      region: regionOf(type.name, scope.region),
      type: type.name,
      id: text(attributes, 'id'),
      importId: type.importId?.(attributes) ?? text(attributes, 'id'),
      tags: this.tagsOf(scope, type, attributes),
      createdAt: this.now().toISOString(),
      attributes,
    };
    this.inventory.put(object);
    return object;
  }

  private removeWithDependents(scope: Scope, type: ResourceType, object: CloudObject): void {
    const referrers = this.inventory.referrersOf(object);
    const cascading = new Set(referrers.filter(({ reference }) => reference.onDelete === 'cascade').map(objectOf));
    // A rule that names its own group goes with the group, whatever else it says.
    const refusing = referrers.find((one) => one.reference.onDelete === 'refuse' && !cascading.has(one.object));
    if (refusing && type.inUse) throw type.inUse(object.id, refusing.object.type);
    const context = this.context(scope);
    type.checkRemoval?.(object, context);
    type.removed?.(object, context);
    this.inventory.remove(object);
    for (const dependent of cascading) this.inventory.remove(dependent);
  }

  private checkReferences(scope: Scope, type: ResourceType, values: Values): void {
    for (const reference of type.references ?? []) {
      for (const id of referenceValues(values, reference)) {
        const target = this.inventory.find(scope, reference.type, id);
        if (!target || !this.isVisible(scope, target)) throw missingReference(reference, id);
      }
    }
  }

  /** Own tags, or those of the thing it is part of, so that a listing by owner has everything. */
  private tagsOf(scope: Scope, type: ResourceType, attributes: Values): Record<string, string> {
    if (isObject(attributes['tags_all'])) return attributes['tags_all'] as Record<string, string>;
    const whole = (type.references ?? [])
      .flatMap((reference) => referenceValues(attributes, reference).map((id) => ({ type: reference.type, id })))
      .map(({ type: wholeType, id }) => this.inventory.find(scope, wholeType, id))
      .find((candidate) => candidate !== undefined);
    const { Name: _name, ...tags } = whole?.tags ?? {};
    return tags;
  }

  /** Whether a call sees the object already. */
  isVisible(scope: Scope, object: CloudObject): boolean {
    const lag = this.faults.find('eventual-consistency', scope, object.type);
    return !lag || this.now().getTime() - Date.parse(object.createdAt) >= lag.delayMs;
  }

  private context(scope: Scope): CloudContext {
    const { inventory, now, options } = this;
    return {
      ...scope,
      find: (type, id) => (typeof id === 'string' ? inventory.find(scope, type, id) : undefined),
      list: (type) => inventory.ofType(scope, type),
      change: (object, attributes) => {
        inventory.put({ ...object, attributes: { ...object.attributes, ...attributes } });
      },
      nextPublicAddress: () => options.addresses.nextPublic(),
      nextLoopbackAddress: () => options.addresses.nextLoopback(),
      now,
    };
  }
}

function missingReference(reference: Reference, id: string): AwsError {
  const missing = reference.missing ?? RESOURCE_TYPES.get(reference.type)?.missing;
  return missing?.(id) ?? new AwsError('InvalidParameterValue', `${reference.attribute} ${id} does not exist`);
}

function objectOf(referrer: Referrer): CloudObject {
  return referrer.object;
}

function parenthesised(name: string): string {
  return name ? ` (${name})` : '';
}
