import type { KubeObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import type { Cell, ColumnDefinition } from './column.js';
import { columnsOf } from './columns.js';

/** What of each object travels with its row. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly metadata: unknown;
  readonly columnDefinitions: readonly ColumnDefinition[];
  readonly rows: readonly { readonly cells: readonly Cell[]; readonly object?: unknown }[];
}

export interface TableOptions {
  readonly includeObject: IncludeObject;
  readonly now: Date;
  /** False for later events of a watch: the reader keeps the columns of the first. */
  readonly withColumns?: boolean;
}

/** Objects as rows for people, `metadata` being that of the list or of the one object. */
export function toTable(
  kind: KindInfo,
  objects: readonly KubeObject[],
  metadata: unknown,
  { includeObject, now, withColumns = true }: TableOptions,
): Table {
  const columns = columnsOf(kind);
  const rows = objects.map((object) => ({
    cells: columns.map((column) => column.cellOf(object, now)),
    ...(includeObject === 'None' ? {} : { object: includeObject === 'Object' ? object : toPartial(object) }),
  }));
  const columnDefinitions = withColumns ? columns.map((column) => column.definition) : [];
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows };
}

/** The object's metadata alone. */
export function toPartial(object: KubeObject): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
