import type { z } from 'zod';
import { listFields, type ConfigField } from './schema-fields.js';

/** One row of the configuration reference. */
export interface ConfigRow {
  readonly env: string;
  readonly type: string;
  /** As one would write it in the variable; empty when there is none. */
  readonly default: string;
  readonly required: boolean;
  readonly unit: string;
  readonly doc: string;
}

/** The rows of a schema's reference, in the schema's order. */
export function describeConfig(schema: z.ZodObject): readonly ConfigRow[] {
  return listFields(schema).map((field) => ({
    env: field.secret ? `${field.env}, ${field.env}_FILE` : field.env,
    type: typeText(field),
    default: defaultText(field),
    required: !field.optional,
    unit: field.unit ?? '',
    doc: field.description ?? '',
  }));
}

/** The rows as a Markdown table. */
export function renderConfigTable(rows: readonly ConfigRow[]): string {
  const header = '| variable | type | default | unit | meaning |\n|---|---|---|---|---|\n';
  return header + rows.map(renderRow).join('');
}

function renderRow(row: ConfigRow): string {
  const byDefault = row.required ? '(required)' : row.default && `\`${row.default}\``;
  const cells = [row.env.replace(/[A-Z0-9_]+/g, '`$&`'), row.type, byDefault, row.unit, row.doc];
  return `| ${cells.map((cell) => cell.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |\n`;
}

function typeText(field: ConfigField): string {
  if (field.secret) return 'secret';
  if (field.choices) return field.choices.join(', ');
  return field.type === 'list' ? `list of ${field.elementType ?? 'string'}s` : field.type;
}

function defaultText(field: ConfigField): string {
  const { defaultValue, secret, type } = field;
  if (field.defaultText !== undefined) return field.defaultText;
  if (defaultValue === undefined || secret) return '';
  if (type === 'duration' && typeof defaultValue === 'number') return durationText(defaultValue);
  return Array.isArray(defaultValue) ? defaultValue.join(',') : `${defaultValue as string | number | boolean}`;
}

/** A time as configuration has it, such as 7d. */
export function durationText(milliseconds: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ];
  const fitting = units.find(([, size]) => milliseconds >= size && milliseconds % size === 0);
  return fitting ? `${milliseconds / fitting[1]}${fitting[0]}` : `${milliseconds}ms`;
}
