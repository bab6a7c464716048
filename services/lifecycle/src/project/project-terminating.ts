import type { Project } from '@crate/api';
import { forbidden } from '@crate/errors';
import type { KindInfo } from '@crate/resource-client';

/** What Kubernetes says, and its clients look for, of a namespace that is on its way out. */
const REASON = 'NamespaceTerminating';

/** True for a Project that is to go, and that a finalizer holds. */
export function isTerminating({ metadata }: Project): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The Forbidden of what would come into being in such a Project, which was found empty. */
export function projectTerminating(
  { group, plural }: Pick<KindInfo, 'group' | 'plural'>,
  name: string,
  project: string,
): Error {
  const message = `Project "${project}" is being deleted`;
  const remedy = 'Use another Project, or wait until this one is gone and have it made anew';
  const why = `unable to create new content in namespace ${project} because it is being terminated`;
  const text = `${plural}.${group} "${name}" is forbidden: ${why}: ${message}. ${remedy}`;
  const causes = [{ reason: REASON, field: 'metadata.namespace', message }];
  return forbidden(text, { group, kind: plural, name, reason: REASON, remedy, causes });
}
