import type { KindDefinition } from '@crate/api';
import type { ResourceApi } from './resource-api.js';

/**
 * A kind as its owner announces it: plain JSON, so that a front door can serve discovery, tables and OpenAPI
 * for kinds it was not built with.
 */
export interface KindInfo extends Omit<KindDefinition, 'body' | 'objectType'> {
  /** JSON schema (draft 2020-12) of the object without `apiVersion`, `kind` and `metadata`. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Where the verbs of one kind are answered. */
export interface Route {
  readonly kind: KindInfo;
  readonly api: ResourceApi;
}

/** Finds the owner of a kind at run time. */
export abstract class ResourceRouter {
  /** Every kind that can be reached now, sorted by group, version and plural. */
  abstract kinds(): readonly KindInfo[];
  /** Undefined when nobody announces the kind. */
  abstract find(group: string, version: string, plural: string): Route | undefined;
}
