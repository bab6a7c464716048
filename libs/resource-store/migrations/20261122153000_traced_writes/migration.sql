-- As before, and a change may say in `trace` what trace the work belongs to that it makes due (absent: none).
CREATE OR REPLACE FUNCTION apply_resource_change(change jsonb, change_revision bigint, writer text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  stored   jsonb := jsonb_set(change -> 'object', '{metadata,resourceVersion}', to_jsonb(change_revision::text));
  previous bigint;
  before   jsonb;
  route    record;
BEGIN
  IF change ->> 'type' = 'ADDED' THEN
    INSERT INTO resources (uid, api_group, kind, namespace, name, revision, object)
    VALUES (change ->> 'uid', change ->> 'group', change ->> 'kind', change ->> 'namespace', change ->> 'name',
      change_revision, stored);
  ELSIF change ->> 'type' = 'MODIFIED' THEN
    SELECT revision, object INTO STRICT previous, before FROM resources WHERE uid = change ->> 'uid';
    UPDATE resources SET revision = change_revision, object = stored WHERE uid = change ->> 'uid';
  ELSE
    DELETE FROM resources WHERE uid = change ->> 'uid' RETURNING revision INTO STRICT previous;
  END IF;

  INSERT INTO resource_changes
    (revision, previous_revision, type, api_group, kind, namespace, name, uid, writer, object)
  VALUES (change_revision, previous, change ->> 'type', change ->> 'group', change ->> 'kind',
    change ->> 'namespace', change ->> 'name', change ->> 'uid', apply_resource_change.writer, stored);

  -- A status is what a reconciler reports, not what it is asked for: reporting must not make it look again.
  IF resource_intent(before) = resource_intent(stored) THEN
    RETURN;
  END IF;

  FOR route IN SELECT reconciler FROM work_routes
    WHERE work_routes.api_group = change ->> 'group' AND work_routes.kind = change ->> 'kind'
  LOOP
    -- Resolved when it is first run: the work queue's migration, which creates it, comes after this one.
    PERFORM enqueue_work(route.reconciler, change ->> 'namespace', change ->> 'name', change ->> 'trace');
  END LOOP;
END
$$;
