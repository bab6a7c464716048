-- The trace that a key was made due in: a W3C `traceparent`, kept while passes wait or fail, taken away by the one that settles.
ALTER TABLE work_items ADD COLUMN trace text, ADD COLUMN traced_at timestamptz;

-- Whether `after` adds nothing to `before`: no trace, or the same one, of which the first 35 characters tell.
CREATE FUNCTION is_same_trace(before text, after text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT after IS NULL OR (before IS NOT NULL AND left(before, 35) = left(after, 35))
$$;

-- As with three arguments, and the next passes belong to `trace`. Within one trace the first cause stays the parent of them all, so
-- that what a pass writes to its own object does not make each pass the child of the one before.
CREATE FUNCTION enqueue_work(reconciler text, namespace text, name text, trace text) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO work_items (reconciler, namespace, name, due_at, trace, traced_at)
  VALUES ($1, $2, $3, now(), $4, CASE WHEN $4 IS NOT NULL THEN now() END)
  ON CONFLICT ON CONSTRAINT work_items_pkey
  DO UPDATE SET due_at = LEAST(work_items.due_at, excluded.due_at),
    trace = CASE WHEN is_same_trace(work_items.trace, excluded.trace) THEN work_items.trace ELSE excluded.trace END,
    traced_at = CASE WHEN is_same_trace(work_items.trace, excluded.trace) THEN work_items.traced_at ELSE excluded.traced_at END
  WHERE work_items.due_at > excluded.due_at OR NOT is_same_trace(work_items.trace, excluded.trace)
$$;
