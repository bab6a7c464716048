import type { KubeObject, PrinterColumn } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { formatAge } from './age.js';
import { findByPath } from './json-path.js';

/** A value in a table; null shows as nothing. */
export type Cell = string | number | boolean | null;

/** A column as a Table carries it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** A column and how its cell is made. */
export interface Column {
  readonly definition: ColumnDefinition;
  readonly cellOf: (object: KubeObject, now: Date) => Cell;
}

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const NAME: Column = {
  definition: { name: 'Name', type: 'string', format: 'name', description: 'Name of the object', priority: 0 },
  cellOf: (object) => object.metadata.name,
};

/** The columns of a kind: its name, then those it declares, or its age when it declares none. */
export function columnsOf(kind: KindInfo): readonly Column[] {
  const declared = kind.printerColumns.length > 0 ? kind.printerColumns : [AGE];
  return [NAME, ...declared.map(toColumn)];
}

function toColumn(column: PrinterColumn): Column {
  const { name, type, description = '', priority = 0, jsonPath } = column;
  return {
    definition: { name, type, format: '', description, priority },
    cellOf: (object, now) => toCell(findByPath(object, jsonPath), type, now),
  };
}

function toCell(values: readonly unknown[], type: PrinterColumn['type'], now: Date): Cell {
  const [first] = values;
  if (first === undefined || first === null) return null;
  switch (type) {
    case 'date':
      return typeof first === 'string' ? formatAge(first, now) : '<invalid>';
    case 'integer':
      return typeof first === 'number' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    case 'string':
      return values.map(toText).join(' ');
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
