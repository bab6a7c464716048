import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@crate/api';

/** What saving a status needs of a client; `TypedClient` offers it. */
export interface StatusClient<T extends KubeObject> {
  saveStatus(object: T, status: unknown): Promise<T>;
}

/** Writes `status` unless the object has just that already, so that a settled object causes no write. Gives the object as it is then. */
export async function saveStatusIfChanged<T extends KubeObject>(
  client: StatusClient<T>,
  object: T,
  status: unknown,
): Promise<T> {
  return isDeepStrictEqual(asStored(object['status']), asStored(status)) ? object : client.saveStatus(object, status);
}

/** As it comes back from the store: without undefined fields, dates as text. */
function asStored(status: unknown): unknown {
  return status === undefined ? undefined : (JSON.parse(JSON.stringify(status)) as unknown);
}
