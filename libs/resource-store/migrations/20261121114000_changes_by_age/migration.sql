-- Which revision was the newest at some time, looked at now and then. So changes can be forgotten by age without a time in
-- each of them, which every write would pay for.
CREATE TABLE resource_marks (
  revision bigint PRIMARY KEY,
  taken_at timestamptz NOT NULL
);

-- Forgets the changes up to a revision.
CREATE FUNCTION forget_resource_changes(up_to bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  old_floor bigint;
BEGIN
  -- Replicas that compact at the same time do so one after the other.
  SELECT revision INTO STRICT old_floor FROM resource_floor FOR UPDATE;
  IF up_to <= old_floor THEN
    RETURN;
  END IF;
  UPDATE resource_floor SET revision = up_to;
  DELETE FROM resource_changes WHERE revision IN (
    SELECT previous_revision FROM resource_changes WHERE revision > old_floor AND revision <= up_to);
  DELETE FROM resource_changes WHERE revision > old_floor AND revision <= up_to AND type = 'DELETED';
END
$$;

-- Forgets all but the newest `keep` changes.
CREATE OR REPLACE FUNCTION compact_resource_changes(keep bigint) RETURNS void
LANGUAGE sql AS $$
  SELECT forget_resource_changes(revision - keep) FROM resource_head
$$;

-- Forgets changes older than `max_age`, as exactly as it is called often, and all but the newest `keep`.
CREATE FUNCTION expire_resource_changes(keep bigint, max_age interval) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  old bigint;
BEGIN
  -- A revision that was marked already is as old as its first mark.
  INSERT INTO resource_marks SELECT revision, clock_timestamp() FROM resource_head ON CONFLICT DO NOTHING;
  SELECT max(revision) INTO old FROM resource_marks WHERE taken_at <= clock_timestamp() - max_age;
  PERFORM forget_resource_changes(greatest(old, revision - keep)) FROM resource_head;
  DELETE FROM resource_marks WHERE revision < old;
END
$$;
