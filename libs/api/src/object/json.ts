/** A JSON object whose shape is not known. */
export type JsonObject = Record<string, unknown>;

/** True for a JSON object; neither for an array nor for null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
