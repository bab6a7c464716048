export type Json = Readonly<Record<string, unknown>>;

/** Whether it has fields of its own: no list, and not null. */
export function isPlain(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without fields where it is something else. */
export function asObject(value: unknown): Json {
  return isPlain(value) ? value : {};
}

/** Empty where it is something else. */
export function asList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** Whether any part of a value is marked: marks have its shape, with `true` where they apply. */
export function isMarked(marks: unknown): boolean {
  if (marks === true) return true;
  return typeof marks === 'object' && marks !== null && Object.values(marks).some(isMarked);
}
