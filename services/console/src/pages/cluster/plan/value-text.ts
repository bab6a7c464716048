/** A value of a document as a person reads it in a table; `–` when there is none. Pure. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
