import type { KindDefinition } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { ResourceStore } from '@crate/resource-store';

const CHANGES_AT_ONCE = 500;
/** Half of what those who ask wait for an answer: under load a change of a rule takes a while to come round. */
const CATCH_UP_MS = 5_000;

/** Objects of a kind as this replica knows them; `FollowedObjects` is one. */
export interface Followed {
  readonly kind: Pick<KindDefinition, 'group' | 'kind' | 'plural'>;
  readonly revision: string | undefined;
  reaches(revision: string, timeoutMs: number): Promise<boolean>;
  advance(revision: string): void;
}

/**
 * Makes sure that what was stored before a review is applied in it, at every replica: looks in the change log for what was not
 * seen here, and waits for it. Throws Unavailable for what is not loaded, or does not catch up.
 */
export async function ensureFresh(
  followed: readonly Followed[],
  store: Pick<ResourceStore, 'changesSince'>,
): Promise<void> {
  for (;;) {
    const changes = await store.changesSince(oldest(followed), CHANGES_AT_ONCE);
    const newest = changes.at(-1);
    if (!newest) return;
    for (const each of followed) {
      const { group, kind, plural } = each.kind;
      const last = changes.findLast(({ key }) => key.kind === kind && key.group === group);
      if (last && !(await each.reaches(last.revision, CATCH_UP_MS))) {
        throw unavailable(`The ${plural} have changed and are not loaded yet`);
      }
      each.advance(newest.revision);
    }
    if (changes.length < CHANGES_AT_ONCE) return;
  }
}

function oldest(followed: readonly Followed[]): string {
  const revisions = followed.map(({ revision, kind: { plural } }) => {
    if (revision === undefined) throw unavailable(`The ${plural} are not loaded yet`);
    return BigInt(revision);
  });
  return revisions.reduce((least, revision) => (revision < least ? revision : least)).toString();
}
