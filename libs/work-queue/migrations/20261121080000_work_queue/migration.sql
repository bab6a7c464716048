-- Keys that reconcilers have to look at, shared by all replicas of a service. Every time is this server's.

-- One sequence for all keys: an epoch never repeats, also not when a key was forgotten and comes back.
CREATE SEQUENCE work_epochs AS bigint;

CREATE TABLE work_items (
  reconciler text NOT NULL,
  -- Empty for cluster-scoped kinds.
  namespace text NOT NULL,
  name text NOT NULL,
  -- 'infinity' from the claim until the key is enqueued again: that is how a pass's end knows that it must look again.
  due_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  epoch bigint NOT NULL DEFAULT 0,
  -- Null while nobody holds the key.
  lease_until timestamptz,
  -- A held key is free when its lease ends, whenever it is due.
  claimable_at timestamptz NOT NULL GENERATED ALWAYS AS (COALESCE(lease_until, due_at)) STORED,
  PRIMARY KEY (reconciler, namespace, name)
) WITH (fillfactor = 70);

CREATE INDEX work_items_claimable ON work_items (reconciler, claimable_at);
-- Small: only the passes that run now.
CREATE INDEX work_items_leased ON work_items (reconciler) WHERE lease_until IS NOT NULL;

-- Makes a key due now; to be called in the transaction that changes the object, so that no change is ever missed.
-- A key that is due already is not written again.
CREATE FUNCTION enqueue_work(reconciler text, namespace text, name text) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO work_items (reconciler, namespace, name, due_at) VALUES ($1, $2, $3, now())
  ON CONFLICT ON CONSTRAINT work_items_pkey
  DO UPDATE SET due_at = excluded.due_at WHERE work_items.due_at > excluded.due_at
$$;

-- True while the claim of this epoch holds the key. Locks the row to the end of the transaction, so that no other claim
-- can begin before what this one writes is visible. Call it after the other writes: whoever changes objects locks them
-- before it enqueues their keys, and the same order here cannot deadlock.
CREATE FUNCTION work_epoch_is_current(reconciler text, namespace text, name text, epoch bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM work_items AS item
    WHERE item.reconciler = $1 AND item.namespace = $2 AND item.name = $3
      AND item.epoch = $4 AND item.lease_until IS NOT NULL
    FOR NO KEY UPDATE;
  RETURN FOUND;
END
$$;
