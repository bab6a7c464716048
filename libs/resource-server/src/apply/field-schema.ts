import { isJsonObject } from '@crate/api';
import type { JsonSchema } from '../kinds/json-schema.js';
import { keyElement, type PathElement, valueElement } from './path-element.js';

/** How a value at one place merges. `leaf` and `atomic` values are replaced whole. */
export type MergeKind = 'leaf' | 'atomic' | 'map' | 'list-map' | 'list-set';

/**
 * How the fields of a kind merge, read from its JSON schema. Where the schema is silent the value decides:
 * objects merge field by field, lists are replaced whole (as Kubernetes treats objects without a schema).
 */
export class FieldSchema {
  static readonly DEDUCED = new FieldSchema({});

  constructor(private readonly schema: JsonSchema) {}

  mergeKind(value: unknown): MergeKind {
    if (Array.isArray(value)) return this.listKind();
    if (!isJsonObject(value)) return 'leaf';
    return this.schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'map';
  }

  field(name: string): FieldSchema {
    const { properties, additionalProperties } = this.schema;
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return typeof declared === 'object' ? new FieldSchema(declared) : FieldSchema.DEDUCED;
  }

  get item(): FieldSchema {
    return this.schema.items ? new FieldSchema(this.schema.items) : FieldSchema.DEDUCED;
  }

  /** Names of the fields that tell one item of a list map from another. */
  get listKeys(): readonly string[] {
    return this.schema['x-kubernetes-list-map-keys'] ?? [];
  }

  /** The step to an item; key fields the item leaves out count with their default, else they are left out. */
  itemElement(item: unknown): PathElement {
    if (this.schema['x-kubernetes-list-type'] === 'set') return valueElement(item);
    const fields = isJsonObject(item) ? item : {};
    const keys = this.listKeys.map((key) => [key, fields[key] ?? this.defaultOf(key)] as const);
    return keyElement(Object.fromEntries(keys.filter(([, value]) => value !== undefined)));
  }

  /** The first key field that an item neither states nor has a default for. */
  missingKeyOf(item: unknown): string | undefined {
    if (this.schema['x-kubernetes-list-type'] !== 'map') return undefined;
    const fields = isJsonObject(item) ? item : {};
    return this.listKeys.find((key) => (fields[key] ?? this.defaultOf(key)) === undefined);
  }

  private defaultOf(key: string): unknown {
    return this.schema.items?.properties?.[key]?.default;
  }

  private listKind(): MergeKind {
    switch (this.schema['x-kubernetes-list-type']) {
      case 'map':
        return 'list-map';
      case 'set':
        return 'list-set';
      default:
        return 'atomic';
    }
  }
}
