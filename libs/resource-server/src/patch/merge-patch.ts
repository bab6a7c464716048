/** JSON merge patch: objects merge, null removes, anything else replaces. Source: RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value);
  }
  return result;
}
import { isJsonObject, type JsonObject } from '@crate/api';
