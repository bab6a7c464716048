-- As before, and a write may bring entries for the audit log in `audit` (an array; absent: none). They are appended in the same
-- transaction, so that no write is without them, and each is given the revision of its change (`change`, an index).
CREATE OR REPLACE FUNCTION commit_resource_writes(writes jsonb, writer text)
  RETURNS TABLE (is_committed boolean, first_revision bigint)
LANGUAGE plpgsql AS $$
DECLARE
  head    bigint;
  newest  bigint;
  write   jsonb;
  change  jsonb;
  entry   jsonb;
  entries jsonb[] := '{}';
BEGIN
  -- The high half keeps the key apart from other users' advisory locks, the low half one schema from the next.
  PERFORM pg_advisory_xact_lock((1668441460::bigint << 32) | 'resource_head'::regclass::oid::bigint);
  SELECT revision INTO STRICT head FROM resource_head;
  newest := head;
  FOR write IN SELECT value FROM jsonb_array_elements(writes) LOOP
    first_revision := newest + 1;
    is_committed := is_current_resource_write(write);
    IF is_committed THEN
      FOR change IN SELECT value FROM jsonb_array_elements(write -> 'changes') LOOP
        newest := newest + 1;
        PERFORM apply_resource_change(change, newest, writer);
      END LOOP;
      IF write ? 'audit' THEN
        FOR entry IN SELECT value FROM jsonb_array_elements(write -> 'audit') LOOP
          entries := array_append(entries, entry - 'change'
            || jsonb_build_object('resourceVersion', (first_revision + (entry ->> 'change')::bigint)::text));
        END LOOP;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
  IF newest > head THEN
    UPDATE resource_head SET revision = newest;
  END IF;
  -- Last, because its chain is one row that other appenders wait for. The audit log's own migration creates it.
  IF cardinality(entries) > 0 THEN
    PERFORM append_audit_entries(entries);
  END IF;
END
$$;
