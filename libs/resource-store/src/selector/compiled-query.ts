import type { KubeObject } from '@crate/api';
import { keyOf } from '../object/object-key.js';
import type { Collection, ObjectKey, StoreQuery } from '../resource-store.js';
import { isAboutIdentity, matchesFields, parseFieldSelector, type FieldRequirement } from './field-selector.js';
import { matchesLabels, parseLabelSelector, type LabelRequirement } from './label-selector.js';

/** A query with its selectors parsed, and what it says about objects in memory. */
export class CompiledQuery implements Collection {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];

  /** Throws BadRequest for a malformed selector. */
  constructor(query: StoreQuery) {
    this.group = query.group;
    this.kind = query.kind;
    this.namespace = query.namespace;
    this.labels = parseLabelSelector(query.labelSelector);
    this.fields = parseFieldSelector(query.fieldSelector);
  }

  /** Whether objects may come to match, or cease to, while they live. */
  get hasTransitions(): boolean {
    return this.labels.length > 0 || this.fields.some((field) => !isAboutIdentity(field));
  }

  covers(key: ObjectKey): boolean {
    const isInNamespace = this.namespace === undefined || this.namespace === key.namespace;
    return this.kind === key.kind && this.group === key.group && isInNamespace;
  }

  matches(object: KubeObject): boolean {
    return (
      this.covers(keyOf(object)) &&
      matchesLabels(this.labels, object.metadata.labels) &&
      matchesFields(this.fields, object)
    );
  }
}
