import type { KubeObject } from '@crate/api';

/** A value in a table; null shows as nothing. */
export type Cell = string | number | boolean | null;

/** A column as a Table carries it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0: shown with `-o wide` only. */
  readonly priority: number;
}

/** A column and how its cell is made. */
export interface Column {
  readonly definition: ColumnDefinition;
  readonly cellOf: (object: KubeObject, now: Date) => Cell;
}
