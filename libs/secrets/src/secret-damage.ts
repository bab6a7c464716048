import { isPlatformError, PlatformError } from '@crate/errors';
import type { SecretFacts } from './secret-store.js';

/** What happened to a stored version: its bytes were changed, an older one took its place, or one of another lineage. */
export type SecretDamage = 'tampered' | 'rolledBack' | 'foreign';

const REASONS = {
  tampered: { reason: 'SecretTampered', text: 'does not open under its binding: it was changed or swapped' },
  rolledBack: { reason: 'SecretRolledBack', text: 'is older than the one that was stored last: it was set back' },
  foreign: { reason: 'SecretForeign', text: 'is of another lineage than the one that was stored last' },
} as const;

/** The error that a damaged version is refused with. */
export function damaged(damage: SecretDamage, kind: string, cause?: unknown): PlatformError {
  const { reason, text } = REASONS[damage];
  return new PlatformError('Invariant', `The newest ${kind} ${text}`, { details: { reason, kind }, cause });
}

/** Which damage an error tells of; undefined for all other errors. */
export function secretDamageOf(error: unknown): SecretDamage | undefined {
  const reason = isPlatformError(error) ? error.details.reason : undefined;
  return (Object.keys(REASONS) as SecretDamage[]).find((damage) => REASONS[damage].reason === reason);
}

interface Placed {
  readonly serial: number;
  readonly facts: SecretFacts | null;
}

/** How a version came to differ from what the head says of it; both are as stored, the head is proven. */
export function differenceOf(found: Placed | undefined, head: Placed): SecretDamage {
  if (!found || found.serial < head.serial) return 'rolledBack';
  const lineage = found.facts?.['lineage'];
  if (lineage !== undefined && lineage !== head.facts?.['lineage']) return 'foreign';
  const before = Number(found.facts?.['serial'] ?? 0) < Number(head.facts?.['serial'] ?? 0);
  return before ? 'rolledBack' : 'tampered';
}
