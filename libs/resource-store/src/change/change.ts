import type { KubeObject } from '@crate/api';
import type { ChangeNotice, ObjectKey } from '../resource-store.js';
import { formatRevision, type Revision } from '../revision.js';

/** One entry of the log. */
export interface Change {
  readonly revision: Revision;
  readonly type: ChangeNotice['type'];
  readonly key: ObjectKey;
  readonly uid: string;
  /** The object after the change; for DELETED its last state. Shared by all watchers, therefore frozen. */
  readonly object: KubeObject;
}

export function noticeOf(change: Change): ChangeNotice {
  const { key, uid, revision, type } = change;
  return { key, uid, revision: formatRevision(revision), type };
}
