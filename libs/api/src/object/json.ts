/** A JSON object whose shape is not known. */
export type JsonObject = Record<string, unknown>;

/** True for a JSON object; neither for an array nor for null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is left of an object when its undefined fields are. */
export type Defined<T> = string extends keyof T
  ? Record<string, Exclude<T[keyof T], undefined>>
  : { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
      [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
    };

/** A copy without the fields that are undefined: for what is merged over defaults, or stored, where such a field would be one that is there. */
export function withoutUndefined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}
