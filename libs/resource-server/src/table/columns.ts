import type { KubeObject, PrinterColumn } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { formatAge } from './age.js';
import { builtInColumns } from './built-in-columns.js';
import type { Cell, Column } from './column.js';
import { findByPath } from './json-path.js';

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const NAME: Column = {
  definition: { name: 'Name', type: 'string', format: 'name', description: 'Name of the object', priority: 0 },
  cellOf: (object) => object.metadata.name,
};

/**
 * The columns of a kind: its name, then those it declares. A kind that declares none has the columns kubectl shows for
 * Kubernetes' own kind of that name, or else its age.
 */
export function columnsOf(kind: KindInfo): readonly Column[] {
  if (kind.printerColumns.length > 0) return [NAME, ...kind.printerColumns.map(toColumn)];
  return [NAME, ...(builtInColumns(kind.group, kind.kind) ?? [toColumn(AGE)])];
}

function toColumn(column: PrinterColumn): Column {
  const { name, type, description = '', priority = 0, jsonPath, otherwise } = column;
  const valuesOf = (object: KubeObject): readonly unknown[] => {
    const values = findByPath(object, jsonPath);
    return otherwise !== undefined && (values[0] ?? null) === null ? findByPath(object, otherwise) : values;
  };
  return {
    definition: { name, type, format: '', description, priority },
    cellOf: (object, now) => toCell(valuesOf(object), type, now),
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
