import { apiVersionOf, type KubeObject } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { KindInfo, ResourceType } from '@crate/resource-client';
import { fieldSchemaOf } from '../apply/kind-schema.js';
import type { FieldSchema } from '../apply/field-schema.js';
import { kindInfoOf } from './kind-info.js';
import type { ServedKind } from './served-kind.js';
import { statusOnly } from './status-only.js';

/** A served kind with what is derived from it once. */
export interface RegisteredKind extends ServedKind {
  readonly info: KindInfo;
  /** How its fields merge in server-side apply. */
  readonly fields: FieldSchema;
  /** The kind as a write to its `status` is judged. */
  readonly statusOnly: ServedKind;
  /** A stored object in this kind's version. */
  readonly present: (stored: KubeObject) => KubeObject;
}

/** The kinds a process serves; they may come and go while it runs, as CustomResourceDefinitions do. */
export class KindRegistry {
  private readonly kinds = new Map<string, RegisteredKind>();

  constructor(kinds: readonly ServedKind[] = []) {
    for (const kind of kinds) this.add(kind);
  }

  /** Adds or replaces the kind with the same group, version and plural. */
  add(served: ServedKind): void {
    const info = kindInfoOf(served.definition, served.schema);
    const apiVersion = apiVersionOf(info);
    this.kinds.set(keyOf(info), {
      ...served,
      info,
      fields: fieldSchemaOf(info),
      statusOnly: statusOnly(served),
      present: (stored) => (stored.apiVersion === apiVersion ? stored : { ...stored, apiVersion }),
    });
  }

  /** Stops serving a kind; its stored objects stay. Unknown kinds are ignored. */
  remove(type: ResourceType): void {
    this.kinds.delete(keyOf(type));
  }

  /** Undefined when the kind is not served. */
  find(type: ResourceType): RegisteredKind | undefined {
    return this.kinds.get(keyOf(type));
  }

  /** Throws the NotFound that clients take for "no such resource type". */
  get(type: ResourceType): RegisteredKind {
    const found = this.find(type);
    if (found) return found;
    throw new PlatformError('NotFound', 'the server could not find the requested resource');
  }

  /** Sorted by group, version and plural. */
  infos(): readonly KindInfo[] {
    return [...this.kinds.values()].map((kind) => kind.info).sort((a, b) => compare(keyOf(a), keyOf(b)));
  }
}

function keyOf(type: ResourceType): string {
  return `${type.group}/${type.version}/${type.plural}`;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
