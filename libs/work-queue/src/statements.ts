/** `$1 $2 $3` are always reconciler, namespace, name where a key is meant. */
const KEY = 'reconciler = $1 AND namespace = $2 AND name = $3';
const HELD = `${KEY} AND epoch = $4 AND lease_until IS NOT NULL`;
const DUE_IN_MS = '(extract(epoch FROM due_at - now()) * 1000)::float8 AS due_in_ms';

// Sorted, so that two batches lock their rows in the same order.
export const ENQUEUE = `INSERT INTO work_items (reconciler, namespace, name, due_at, trace, traced_at)
    SELECT $1, key.namespace, key.name, now() + $4 * interval '1 ms', $5::text, CASE WHEN $5::text IS NOT NULL THEN now() END
    FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::text[]) AS pair (namespace, name) ORDER BY 1, 2) AS key
    ON CONFLICT (reconciler, namespace, name)
    DO UPDATE SET due_at = excluded.due_at,
      trace = COALESCE(work_items.trace, excluded.trace), traced_at = COALESCE(work_items.traced_at, excluded.traced_at)
    WHERE work_items.due_at > excluded.due_at`;

// Finding none makes no write: a transaction id is only taken, and the sequence only read, for rows that are found.
export const CLAIM = `WITH free AS MATERIALIZED (
      SELECT reconciler, namespace, name, claimable_at, lease_until FROM work_items
      WHERE reconciler = $1 AND claimable_at <= now()
      ORDER BY claimable_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    UPDATE work_items AS item
    SET epoch = nextval('work_epochs'), lease_until = now() + $3 * interval '1 ms', due_at = 'infinity',
      holder = $5, claimed_at = now(), trace = CASE WHEN traced_at > now() - $4 * interval '1 ms' THEN trace END,
      traced_at = CASE WHEN traced_at > now() - $4 * interval '1 ms' THEN traced_at END
    FROM free
    WHERE item.reconciler = free.reconciler AND item.namespace = free.namespace AND item.name = free.name
    RETURNING item.namespace, item.name, item.epoch, item.attempts, item.trace, free.lease_until IS NOT NULL AS is_takeover,
      (extract(epoch FROM now() - free.claimable_at) * 1000)::float8 AS waited_ms`;

export const RENEW = `UPDATE work_items SET lease_until = now() + $5 * interval '1 ms' WHERE ${HELD}`;

// `RENEW` for many leases, but for those whose rows somebody else has locked.
export const RENEW_MANY = `WITH held AS MATERIALIZED (
      SELECT item.reconciler, item.namespace, item.name, lease.place, lease.ms
      FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::float8[])
        WITH ORDINALITY AS lease (reconciler, namespace, name, epoch, ms, place)
      JOIN work_items AS item USING (reconciler, namespace, name)
      WHERE item.epoch = lease.epoch AND item.lease_until IS NOT NULL FOR UPDATE OF item SKIP LOCKED
    )
    UPDATE work_items AS item SET lease_until = now() + held.ms * interval '1 ms' FROM held
    WHERE item.reconciler = held.reconciler AND item.namespace = held.namespace AND item.name = held.name
    RETURNING held.place::int AS place`;

// The end of a pass need not wait for the disk: when a crash of the server takes it back, its lease runs out and the pass is
// repeated. A claim must wait, or its epoch could be given out a second time. ADR 0173
const NOT_WAITING = `WITH not_waiting AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

export const FINISH_AGAIN = `${NOT_WAITING}
    UPDATE work_items SET lease_until = NULL, due_at = LEAST(due_at, now() + $5 * interval '1 ms'),
      attempts = CASE WHEN $6::boolean THEN attempts + 1 ELSE 0 END, ${tracesAfter('$7::boolean', 'work_items')}
    FROM not_waiting WHERE ${HELD} RETURNING ${DUE_IN_MS}`;

// `FINISH_AGAIN` for many leases, but for those whose rows somebody else has locked.
export const FINISH_MANY = `${NOT_WAITING}, held AS MATERIALIZED (
      SELECT item.reconciler, item.namespace, item.name, ended.place, ended.after_ms, ended.failed,
        ended.settled
      FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::float8[], $6::boolean[], $7::boolean[])
        WITH ORDINALITY AS ended (reconciler, namespace, name, epoch, after_ms, failed, settled, place)
      JOIN work_items AS item USING (reconciler, namespace, name)
      WHERE item.epoch = ended.epoch AND item.lease_until IS NOT NULL FOR UPDATE OF item SKIP LOCKED
    )
    UPDATE work_items AS item SET lease_until = NULL, due_at = LEAST(item.due_at, now() + held.after_ms * interval '1 ms'),
      attempts = CASE WHEN held.failed THEN item.attempts + 1 ELSE 0 END, ${tracesAfter('held.settled', 'item')}
    FROM held, not_waiting
    WHERE item.reconciler = held.reconciler AND item.namespace = held.namespace AND item.name = held.name
    RETURNING held.place::int AS place, (extract(epoch FROM item.due_at - now()) * 1000)::float8 AS due_in_ms`;

export const FINISH_RELEASE = `${NOT_WAITING}
    UPDATE work_items SET lease_until = NULL, due_at = LEAST(due_at, now())
    FROM not_waiting WHERE ${HELD} RETURNING ${DUE_IN_MS}`;

export const FORGET = `${NOT_WAITING}
    DELETE FROM work_items USING not_waiting WHERE ${HELD} AND due_at = 'infinity'`;

export const NEXT_DUE = `SELECT ceil(extract(epoch FROM min(claimable_at) - now()) * 1000)::float8 AS due_in_ms
    FROM work_items WHERE reconciler = $1`;

export const DEPTH = `SELECT
    (SELECT count(*) FROM work_items WHERE reconciler = $1 AND claimable_at <= now())::int AS due,
    (SELECT count(*) FROM work_items
      WHERE reconciler = $1 AND lease_until IS NOT NULL AND lease_until > now())::int AS leased`;

export const POSITION = `SELECT CASE WHEN lease_until > now() THEN 0 ELSE 1 + (
      SELECT count(*) FROM work_items AS ahead
      WHERE ahead.reconciler = item.reconciler AND ahead.claimable_at <= now()
        AND (ahead.claimable_at, ahead.namespace, ahead.name) < (item.claimable_at, item.namespace, item.name)
    ) END::int AS position
    FROM work_items AS item WHERE ${KEY} AND (claimable_at <= now() OR lease_until > now())`;

export const TALLY = `SELECT reconciler, count(*)::int AS depth, count(*) FILTER (WHERE claimable_at <= now())::int AS due,
      (GREATEST(extract(epoch FROM now() - min(claimable_at)), 0) * 1000)::float8 AS oldest_wait_ms,
      count(*) FILTER (WHERE lease_until > now())::int AS in_work,
      count(*) FILTER (WHERE attempts > 0)::int AS retrying, max(attempts)::int AS most_attempts
    FROM work_items GROUP BY reconciler`;

export const LEASES = `SELECT reconciler, namespace, name, epoch::text, holder, claimed_at, lease_until, lease_until > now() AS is_current,
      (count(*) OVER ())::int AS total
    FROM work_items WHERE lease_until IS NOT NULL ORDER BY claimed_at NULLS FIRST, reconciler, namespace, name LIMIT $1`;

export const IS_CURRENT = 'SELECT work_epoch_is_current($1, $2, $3, $4) AS is_current';

/** A trace ends with the pass that settles, unless something made the key due meanwhile. */
function tracesAfter(settled: string, item: string): string {
  const isOver = `${settled} AND ${item}.due_at = 'infinity'`;
  return `trace = CASE WHEN ${isOver} THEN NULL ELSE ${item}.trace END,
      traced_at = CASE WHEN ${isOver} THEN NULL ELSE ${item}.traced_at END`;
}
