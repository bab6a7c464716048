import type { SqlRunner } from '@crate/database';
import { damaged } from './secret-damage.js';
import type { SecretRow } from './secret-row.js';
import type { SecretFacts } from './secret-store.js';

/** Fact that the store itself adds: the fence that a version was written under, as text, empty when there was none. Bound as all facts are. */
const FENCE = 'fence';
const NONE = '';

/** Epochs are given out by this sequence of the same schema (libs/work-queue), so none that is in use is beyond it. */
const NEWEST_EPOCH = `SELECT last_value FROM pg_sequences
  WHERE schemaname = current_schema() AND sequencename = 'work_epochs'`;

type Fenced = Pick<SecretRow, 'epoch' | 'facts' | 'kind'>;

/** Undefined in rows from before fences were bound, null where there was none. */
export function boundFence(facts: SecretFacts | null | undefined): bigint | null | undefined {
  const fence = facts?.[FENCE];
  if (fence === undefined) return undefined;
  return fence === NONE ? null : BigInt(fence);
}

export function withFence(facts: SecretFacts, epoch: bigint | null): SecretFacts {
  return { ...facts, [FENCE]: epoch === null ? NONE : String(epoch) };
}

/** The facts as their owner gave them. */
export function withoutFence(facts: SecretFacts | null): SecretFacts | undefined {
  if (facts === null) return undefined;
  const { [FENCE]: _, ...given } = facts;
  return given;
}

export function epochOf({ epoch }: Pick<SecretRow, 'epoch'>): bigint | null {
  return epoch === null ? null : BigInt(epoch);
}

/**
 * Throws Invariant (`tampered`) when the epoch beside a version is not one that it can have come to have. It is never below the bound one. It is
 * above only where it was raised without the keys, by the restore of a database or by a replica of the version before; then
 * it is one that was given out, and refuses nobody who begins from now on.
 */
export async function checkFence(row: Fenced, sql: SqlRunner): Promise<void> {
  const bound = boundFence(row.facts);
  const epoch = epochOf(row);
  if (bound === undefined || epoch === bound) return;
  const isRaised = epoch !== null && epoch > (bound ?? 0n);
  if (!isRaised || epoch > (await newestEpoch(sql))) throw damaged('tampered', row.kind);
}

async function newestEpoch(sql: SqlRunner): Promise<bigint> {
  const row = await sql.firstRow<{ last_value: string | null }>(NEWEST_EPOCH);
  return BigInt(row?.last_value ?? 0);
}
