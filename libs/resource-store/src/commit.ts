import type { KubeObject } from '@crate/api';
import type { Change } from './change/change.js';
import { keyOf } from './object/object-key.js';
import type { PlannedChange } from './object/write-plan.js';
import { formatRevision, type Revision } from './revision.js';

/** The planned changes as they are in the log once committed, the first one at `first`. */
export function numberChanges(planned: readonly PlannedChange[], first: Revision): readonly Change[] {
  return planned.map(({ type, object }, index) => {
    const revision = first + index;
    const metadata = { ...object.metadata, resourceVersion: formatRevision(revision) };
    const numbered = { ...object, metadata };
    return { revision, type, key: keyOf(numbered), uid: metadata.uid, object: numbered };
  });
}

/** What a write answers with: the object's state after the last of its changes. */
export function resultOf(changes: readonly Change[], uid: string): KubeObject | undefined {
  return changes.findLast((change) => change.uid === uid)?.object;
}
