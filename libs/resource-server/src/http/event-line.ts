/** By object, then by type of the event. Entries live as long as the objects, which stores keep for a while only. */
const lines = new WeakMap<object, Map<unknown, Buffer>>();

/**
 * An event of a watch as one line of JSON. Stores give the same frozen object to all watches of a process, so that its
 * line is made once, however many send it.
 */
export function eventLine(event: unknown): Buffer | string {
  const { type, object } = event as { readonly type?: unknown; readonly object?: unknown };
  if (typeof object !== 'object' || object === null || !Object.isFrozen(object)) return lineOf(event);
  const ofObject = lines.get(object) ?? new Map<unknown, Buffer>();
  lines.set(object, ofObject);
  const known = ofObject.get(type) ?? Buffer.from(lineOf(event));
  ofObject.set(type, known);
  return known;
}

function lineOf(event: unknown): string {
  return `${JSON.stringify(event)}\n`;
}
