/** Sets a key, as the one used last; the one that was used longest ago goes when there are more than `limit`. Gives what went. */
export function setBounded<V>(map: Map<string, V>, key: string, value: V, limit: number): V | undefined {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return undefined;
  const [oldest] = map.entries();
  if (!oldest) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}
