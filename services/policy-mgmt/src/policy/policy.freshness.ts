import { POLICY } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { ResourceStore } from '@crate/resource-store';
import type { PolicyCatalogue } from './policy.catalogue.js';

const CHANGES_AT_ONCE = 500;
/** Half of what those who ask wait for an answer: under load a change of a rule takes a while to come round. */
const CATCH_UP_MS = 5_000;

/**
 * Makes sure that a rule stored before a review is applied in it, at every replica: looks in the change log for
 * what the catalogue has not seen, and waits for it. Throws Unavailable when the catalogue does not catch up.
 */
export async function ensureFresh(catalogue: PolicyCatalogue, store: ResourceStore): Promise<void> {
  for (;;) {
    const { revision } = catalogue;
    if (revision === undefined) throw unavailable('The policies are not loaded yet');
    const changes = await store.changesSince(revision, CHANGES_AT_ONCE);
    const newest = changes.at(-1);
    if (!newest) return;
    const lastOfRules = changes.findLast(({ key }) => key.kind === POLICY.kind && key.group === POLICY.group);
    if (lastOfRules && !(await catalogue.reaches(lastOfRules.revision, CATCH_UP_MS))) {
      throw unavailable('The policies have changed and are not loaded yet');
    }
    catalogue.advance(newest.revision);
    if (changes.length < CHANGES_AT_ONCE) return;
  }
}
