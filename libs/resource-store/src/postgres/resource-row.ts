import type { KubeObject } from '@crate/api';
import type { Change } from '../change/change.js';
import { freezeJson } from '../object/json.js';

/** A row of `resource_changes`. The driver gives bigint columns as text. */
export interface ChangeRow {
  readonly revision: string;
  readonly type: Change['type'];
  readonly api_group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly writer: string;
  readonly object: KubeObject;
}

/** A change and the process that made it. */
export interface LoggedChange extends Change {
  readonly writer: string;
}

export const CHANGE_COLUMNS = 'revision, type, api_group, kind, namespace, name, uid, writer, object';

export function changeOf(row: ChangeRow): LoggedChange {
  const { type, api_group: group, kind, namespace, name, uid, writer } = row;
  return {
    revision: Number(row.revision),
    type,
    key: { group, kind, namespace, name },
    uid,
    writer,
    object: freezeJson(row.object),
  };
}
