/** Where something is in a document: keys of maps, indexes of lists. */
export type DocumentPath = readonly (string | number)[];

/** What stands at a path. */
export function valueAt(document: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>(
    (here, key) => (here === null || here === undefined ? undefined : (here as Record<string | number, unknown>)[key]),
    document,
  );
}

/** The document with something else at a path; undefined takes it out, and what is empty without it but for items of lists. */
export function withValue<T>(document: T, path: DocumentPath, value: unknown): T {
  return (placed(document, path, value) ?? {}) as T;
}

function placed(here: unknown, [key, ...rest]: DocumentPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') return placedInList((here ?? []) as readonly unknown[], key, rest, value);
  const { [key]: before, ...others } = (here ?? {}) as Record<string, unknown>;
  const next = placed(before, rest, value);
  // In the order in which things were stated first.
  const all =
    next === undefined
      ? others
      : before === undefined
        ? { ...others, [key]: next }
        : { ...(here as object), [key]: next };
  return Object.keys(all).length === 0 ? undefined : all;
}

function placedInList(list: readonly unknown[], index: number, rest: DocumentPath, value: unknown): unknown {
  // An item goes when it is taken out itself: whoever empties its last field is about to fill it in anew.
  const emptied = rest.length > 0 && list[index] !== undefined ? emptyOf(rest) : undefined;
  const next = placed(list[index], rest, value) ?? emptied;
  const items = list.toSpliced(index, 1, ...(next === undefined ? [] : [next]));
  return items.length === 0 ? undefined : items;
}

/** What holds what stands at a path, before there is anything in it. */
function emptyOf([key]: DocumentPath): unknown {
  return typeof key === 'number' ? [] : {};
}

/** A path as the API names fields, such as `spec.nodePools[0].name`. */
export function fieldOf(path: DocumentPath): string {
  return path.reduce<string>((field, key) => {
    if (typeof key === 'number') return `${field}[${key}]`;
    return field === '' ? key : `${field}.${key}`;
  }, '');
}

/** True for a field and everything in it. */
export function isWithin(field: string, parent: string): boolean {
  return field === parent || field.startsWith(`${parent}.`) || field.startsWith(`${parent}[`);
}
