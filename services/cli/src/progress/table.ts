import { Columns } from './columns.js';

/** Lines with columns as wide as their widest cell. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return new Columns().lines([header, ...rows]);
}
