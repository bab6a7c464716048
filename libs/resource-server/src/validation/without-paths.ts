import { isJsonObject } from '@crate/api';
import type { FieldPath } from './field-error.js';

/** What leads to the members that go; where nothing is below, the member itself goes. */
type Steps = Map<string, Steps>;

/** A copy without the object members at `paths`, made in one walk however many they are. Pure. */
export function withoutPaths(value: unknown, paths: readonly FieldPath[]): unknown {
  const root: Steps = new Map();
  for (const path of paths) path.reduce<Steps>((steps, step) => enter(steps, String(step)), root);
  return prune(value, root);
}

function enter(steps: Steps, step: string): Steps {
  const below = steps.get(step) ?? (new Map() as Steps);
  steps.set(step, below);
  return below;
}

function prune(value: unknown, steps: Steps): unknown {
  const member = (key: string, given: unknown): unknown => {
    const below = steps.get(key);
    return below ? prune(given, below) : given;
  };
  if (Array.isArray(value)) return value.map((item: unknown, index) => member(String(index), item));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => steps.get(key)?.size !== 0);
  return Object.fromEntries(kept.map(([key, given]) => [key, member(key, given)]));
}
