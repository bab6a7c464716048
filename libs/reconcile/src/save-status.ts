import { isDeepStrictEqual } from 'node:util';
import { storableText, type KubeObject } from '@crate/api';

/** What saving a status needs of a client; `TypedClient` offers it. */
export interface StatusClient<T extends KubeObject> {
  saveStatus(object: T, status: unknown): Promise<T>;
}

/**
 * Writes `status` unless the object has just that already, so that a settled object causes no write. Gives the object as it is then. Texts in it
 * lose what cannot be stored: one that came from outside and was cut in the middle of a character would else keep all of it from being saved, for good.
 */
export async function saveStatusIfChanged<T extends KubeObject>(
  client: StatusClient<T>,
  object: T,
  status: unknown,
): Promise<T> {
  const wanted = asStored(status);
  return isDeepStrictEqual(asStored(object['status']), wanted) ? object : client.saveStatus(object, wanted);
}

/** As it comes back from the store: without undefined fields, dates as text, and texts without what it refuses. */
function asStored(status: unknown): unknown {
  return status === undefined ? undefined : (JSON.parse(JSON.stringify(status), storable) as unknown);
}

function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}
