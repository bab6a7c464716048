import type { KindDefinition, KubeObject, PrinterColumn, SubresourceDefinition } from '@crate/api';
import type { z } from 'zod';

/** A core kind; what is left out has the usual value. */
export interface CoreKindOptions<B extends z.ZodType> {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default true. */
  readonly namespaced?: boolean;
  readonly body: B;
  readonly hasStatus?: boolean;
  readonly columns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly string[];
  readonly subresources?: readonly SubresourceDefinition[];
}

/** The object type a core kind's body describes. */
export type CoreObject<B extends z.ZodType> = KubeObject & z.output<B>;

/** Defines a kind of Kubernetes itself, whose objects are not always split in spec and status. */
export function defineCoreKind<B extends z.ZodType>(options: CoreKindOptions<B>): KindDefinition<CoreObject<B>> {
  const { columns, namespaced, ...rest } = options;
  return {
    ...rest,
    group: options.group ?? '',
    version: options.version ?? 'v1',
    singular: options.kind.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    namespaced: namespaced ?? true,
    description: `${options.kind} of Kubernetes.`,
    printerColumns: columns ?? [],
    hasStatus: options.hasStatus ?? false,
    selectableFields: options.selectableFields ?? [],
    subresources: options.subresources ?? [],
  };
}

/** A column read from one path; `wide` ones show with `-o wide` only. */
export function column(
  name: string,
  jsonPath: string,
  type: PrinterColumn['type'] = 'string',
  wide = false,
): PrinterColumn {
  return { name, type, jsonPath, ...(wide ? { priority: 1 } : {}) };
}

/** The age column every kind ends with. */
export const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
