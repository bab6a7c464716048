-- Every live object of the service, whatever its kind.
CREATE TABLE resources (
  uid        text COLLATE "C" PRIMARY KEY,
  api_group  text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL,
  namespace  text COLLATE "C" NOT NULL, -- empty for cluster-scoped kinds
  name       text COLLATE "C" NOT NULL,
  revision   bigint NOT NULL,
  object     jsonb NOT NULL,
  -- Copies, so that an update that leaves them alone touches no index (a heap-only update).
  labels     jsonb NOT NULL GENERATED ALWAYS AS (coalesce(object #> '{metadata,labels}', '{}')) STORED,
  owner_uids jsonb GENERATED ALWAYS AS
    (nullif(jsonb_path_query_array(object, '$.metadata.ownerReferences[*].uid'), '[]')) STORED,
  UNIQUE (api_group, kind, namespace, name)
) WITH (fillfactor = 80);

CREATE INDEX resources_labels ON resources USING gin (labels);
CREATE INDEX resources_owner_uids ON resources USING gin (owner_uids) WHERE owner_uids IS NOT NULL;

-- Every change of every object, in commit order. Rows at or below the floor are kept only while they are what a later
-- row replaced, or the newest state of a live object: watches with selectors and pages of lists need them.
CREATE TABLE resource_changes (
  revision          bigint PRIMARY KEY,
  previous_revision bigint, -- of the state that this change replaced; null for ADDED
  type              text NOT NULL CHECK (type IN ('ADDED', 'MODIFIED', 'DELETED')),
  api_group         text COLLATE "C" NOT NULL,
  kind              text COLLATE "C" NOT NULL,
  namespace         text COLLATE "C" NOT NULL,
  name              text COLLATE "C" NOT NULL,
  uid               text COLLATE "C" NOT NULL,
  writer            text NOT NULL, -- the process that made the change
  object            jsonb NOT NULL -- for DELETED the last state
);

CREATE INDEX resource_changes_removed ON resource_changes (uid) WHERE type = 'DELETED';

-- The newest revision. One row, updated by every commit: it stays small because nothing else is in it.
CREATE TABLE resource_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  revision bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO resource_head (revision) VALUES (0);

-- Changes up to here are forgotten. Apart from the head, so that compaction never waits for writers or they for it.
CREATE TABLE resource_floor (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  revision bigint NOT NULL
);
INSERT INTO resource_floor (revision) VALUES (0);

-- A change of an object of this kind makes its key due for this reconciler, in the same transaction.
CREATE TABLE work_routes (
  api_group  text NOT NULL,
  kind       text NOT NULL,
  reconciler text NOT NULL,
  PRIMARY KEY (api_group, kind, reconciler)
);

-- Whether everything that a write was decided on is still so. `write` has
--   versions   {uid: revision or null (no such object)}
--   dependents {uid: number of objects that refer to it}
--   absent     {group, kind, namespace, name} of a key that must be free, or null
CREATE FUNCTION is_current_resource_write(write jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  RETURN NOT EXISTS (
      SELECT FROM jsonb_each_text(write -> 'versions') AS expected (uid, revision)
      LEFT JOIN resources USING (uid)
      WHERE resources.revision IS DISTINCT FROM expected.revision::bigint)
    AND (write -> 'dependents' = '{}' OR NOT EXISTS (
      SELECT FROM jsonb_each_text(write -> 'dependents') AS expected (uid, number)
      WHERE expected.number::bigint <> (
        SELECT count(*) FROM resources WHERE owner_uids @> jsonb_build_array(expected.uid))))
    AND (write -> 'absent' = 'null' OR NOT EXISTS (
      SELECT FROM resources
      WHERE api_group = write #>> '{absent,group}' AND kind = write #>> '{absent,kind}'
        AND namespace = write #>> '{absent,namespace}' AND name = write #>> '{absent,name}'));
END
$$;

-- What somebody asks of an object: all of it but its status and what the server keeps for itself.
CREATE FUNCTION resource_intent(object jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT object - 'status' #- '{metadata,resourceVersion}' #- '{metadata,managedFields}'
$$;

-- Stores one change {type, group, kind, namespace, name, uid, object} as `change_revision`.
CREATE FUNCTION apply_resource_change(change jsonb, change_revision bigint, writer text) RETURNS void
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
    PERFORM enqueue_work(route.reconciler, change ->> 'namespace', change ->> 'name');
  END LOOP;
END
$$;

-- Commits a batch of writes, each as a whole or not at all, and says for each in order whether it was, and the revision
-- of its first change. Must be a statement of its own under READ COMMITTED.
--
-- All writers of the schema queue for one lock before they read anything. So revisions are dense and become visible in
-- their order; and because the function is one statement, no client can hold the lock longer than the server works.
CREATE FUNCTION commit_resource_writes(writes jsonb, writer text)
  RETURNS TABLE (is_committed boolean, first_revision bigint)
LANGUAGE plpgsql AS $$
DECLARE
  head   bigint;
  newest bigint;
  write  jsonb;
  change jsonb;
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
    END IF;
    RETURN NEXT;
  END LOOP;
  IF newest > head THEN
    UPDATE resource_head SET revision = newest;
  END IF;
END
$$;

-- Forgets all but the newest `keep` changes.
CREATE FUNCTION compact_resource_changes(keep bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  old_floor bigint;
  new_floor bigint;
BEGIN
  -- Replicas that compact at the same time do so one after the other.
  SELECT revision INTO STRICT old_floor FROM resource_floor FOR UPDATE;
  SELECT revision - keep INTO STRICT new_floor FROM resource_head;
  IF new_floor <= old_floor THEN
    RETURN;
  END IF;
  UPDATE resource_floor SET revision = new_floor;
  DELETE FROM resource_changes WHERE revision IN (
    SELECT previous_revision FROM resource_changes WHERE revision > old_floor AND revision <= new_floor);
  DELETE FROM resource_changes WHERE revision > old_floor AND revision <= new_floor AND type = 'DELETED';
END
$$;
