import type { Transaction } from '@crate/database';

/** The key of `commit_resource_writes` (ADR 0011), so that it works with the function as any release left it. */
const LOCK = `SELECT pg_advisory_xact_lock((1668441460::bigint << 32) | 'resource_head'::regclass::oid::bigint)`;

/**
 * Keeps every other writer of the schema waiting until the transaction ends, and waits for the one at work. Whoever moves the newest revision has to
 * take it first: a write reads the revision under this lock, and would store what it counted on from there over any other.
 */
export async function lockHead(transaction: Transaction): Promise<void> {
  await transaction.execute(LOCK);
}
