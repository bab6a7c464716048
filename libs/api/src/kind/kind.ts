import { z } from 'zod';
import { formatApiVersion, type KubeObject, type Resource } from '../object/object.js';

/** A column of `kubectl get`. `jsonPath` is the simple dotted form (`.status.phase`, `.status.conditions[?(@.type=="Ready")].status`). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** 0 shows always; above 0 only with `-o wide`. */
  readonly priority?: number;
}

/** Everything a server needs to serve one kind, and a client to speak of it. */
export interface KindDefinition<T extends KubeObject = KubeObject> {
  /** API group, empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly description: string;
  /** Validates and defaults the object without `apiVersion`, `kind` and `metadata`. */
  readonly body: z.ZodType;
  readonly printerColumns: readonly PrinterColumn[];
  /** Whether writes to the main resource ignore `status` and a `/status` subresource exists. */
  readonly hasStatus: boolean;
  /** JSON paths usable in field selectors besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** Readable subresources beyond `status`, such as `kubeconfig`. */
  readonly subresources: readonly string[];
  /** Never present; carries the object type for inference. */
  readonly objectType?: T;
}

export interface KindOptions<S extends z.ZodType, T extends z.ZodType> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly description: string;
  readonly spec: S;
  readonly status: T;
  readonly printerColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly string[];
  readonly subresources?: readonly string[];
}

/** Defines a kind with the usual spec/status split. The two schemas are the one source of types, validation, defaults and OpenAPI. */
export function defineKind<S extends z.ZodType, T extends z.ZodType>(
  options: KindOptions<S, T>,
): KindDefinition<Resource<z.output<S>, z.output<T>>> {
  const { spec, status, ...rest } = options;
  return {
    ...rest,
    singular: options.kind.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    body: z.strictObject({ spec, status: status.optional() }),
    printerColumns: options.printerColumns ?? [],
    hasStatus: true,
    selectableFields: options.selectableFields ?? [],
    subresources: options.subresources ?? [],
  };
}

/** `group/version` of a kind as `apiVersion` has it. */
export function apiVersionOf(kind: Pick<KindDefinition, 'group' | 'version'>): string {
  return formatApiVersion(kind.group, kind.version);
}

/** The object type a definition describes. */
export type ObjectOf<K> = K extends KindDefinition<infer T> ? T : never;
