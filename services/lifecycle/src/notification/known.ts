/** What is left of an object when its unknown fields are. */
export type Known<T> = {
  [K in keyof T as undefined extends T[K] ? never : null extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : null extends T[K] ? K : never]?: NonNullable<T[K]> };

/** Without the fields that are undefined or null. */
export function known<T extends object>(object: T): Known<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && value !== null),
  ) as Known<T>;
}
