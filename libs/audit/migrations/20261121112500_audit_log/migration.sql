-- Who did what, in the order of commits. Each hash covers the row and the hash before it, so that no row can be changed, left out
-- or put in without every later hash telling. `line` is what was hashed, byte for byte; the other columns repeat it for queries.
CREATE TABLE audit_log (
  seq       bigint PRIMARY KEY,
  time      text COLLATE "C" NOT NULL, -- ISO 8601 in UTC with milliseconds, which sorts as text
  user_name text COLLATE "C" NOT NULL,
  project   text COLLATE "C" NOT NULL, -- empty for what belongs to no Project
  verb      text COLLATE "C" NOT NULL,
  resource  text COLLATE "C" NOT NULL,
  line      text NOT NULL,
  hash      bytea NOT NULL
);
CREATE INDEX audit_log_project ON audit_log (project, seq);
CREATE INDEX audit_log_user ON audit_log (user_name, seq);
CREATE INDEX audit_log_time ON audit_log USING brin (time);

-- The end of the chain. Whoever appends holds this row until the commit, so the order of rows is the order of commits.
CREATE TABLE audit_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  seq      bigint NOT NULL,
  hash     bytea NOT NULL
) WITH (fillfactor = 10);
INSERT INTO audit_head (seq, hash) VALUES (0, decode(repeat('00', 32), 'hex'));

-- Rows up to here were cut because they were too old; a later row of the chain (verb `cut`) says so.
CREATE TABLE audit_floor (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  seq      bigint NOT NULL,
  hash     bytea NOT NULL
);
INSERT INTO audit_floor (seq, hash) VALUES (0, decode(repeat('00', 32), 'hex'));

-- What the chain was at a time, signed by the service, whose key is not in the database.
CREATE TABLE audit_checkpoints (
  seq       bigint PRIMARY KEY,
  hash      bytea NOT NULL,
  time      text COLLATE "C" NOT NULL,
  kid       text NOT NULL,
  signature bytea NOT NULL
);

CREATE FUNCTION refuse_audit_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoints_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Only what lies at or below the floor may go.
CREATE FUNCTION refuse_audit_delete() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.seq > (SELECT seq FROM audit_floor) THEN
    RAISE EXCEPTION 'The audit log is append-only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN OLD;
END
$$;
CREATE TRIGGER audit_log_keeps_its_rows BEFORE DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_delete();

-- Appends entries to the chain and gives the last sequence number. Under READ COMMITTED, in a transaction that ends soon.
CREATE FUNCTION append_audit_entries(entries jsonb[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  last_seq  bigint;
  last_hash bytea;
  entry     jsonb;
  line      text;
BEGIN
  SELECT seq, hash INTO STRICT last_seq, last_hash FROM audit_head FOR UPDATE;
  FOREACH entry IN ARRAY entries LOOP
    last_seq := last_seq + 1;
    line := entry::text;
    last_hash := sha256(last_hash || convert_to(last_seq::text || ' ' || line, 'UTF8'));
    INSERT INTO audit_log (seq, time, user_name, project, verb, resource, line, hash)
    VALUES (last_seq, entry ->> 'time', entry ->> 'user', entry ->> 'project', entry ->> 'verb', entry ->> 'resource',
      line, last_hash);
  END LOOP;
  UPDATE audit_head SET seq = last_seq, hash = last_hash;
  RETURN last_seq;
END
$$;

-- Moves the floor to `upto` and appends `entry`, completed with what was cut, in one transaction. The rows themselves are deleted
-- afterwards, a few at a time. Gives whether there was something to cut.
CREATE FUNCTION cut_audit_log(upto bigint, entry jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  cut_hash  bytea;
  old_floor bigint;
BEGIN
  PERFORM FROM audit_head FOR UPDATE;
  SELECT seq INTO STRICT old_floor FROM audit_floor FOR UPDATE;
  SELECT hash INTO cut_hash FROM audit_log WHERE seq = upto;
  IF cut_hash IS NULL OR upto <= old_floor THEN
    RETURN false;
  END IF;
  PERFORM append_audit_entries(ARRAY[entry || jsonb_build_object('cut',
    jsonb_build_object('from', old_floor + 1, 'to', upto, 'hash', encode(cut_hash, 'hex')))]);
  UPDATE audit_floor SET seq = upto, hash = cut_hash;
  RETURN true;
END
$$;
