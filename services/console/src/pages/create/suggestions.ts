import { isAllowed } from '@crate/api';

/** What to suggest under a list of a Project: its entries, and in the place of patterns what is known and they allow. Pure. */
export function suggestionsOf(allowed: readonly string[] | undefined, known: readonly string[]): readonly string[] {
  if (!allowed) return known;
  const entries = allowed.filter((entry) => !entry.includes('*'));
  return [...new Set([...entries, ...known.filter((each) => isAllowed(each, allowed))])];
}
