-- Whether this installation is moving to another database, and whether it may act. The same row in every schema of the database, changed in
-- one transaction. ADR 0330
CREATE TABLE installation_move (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Of the move, the same in both databases. Null: there is none.
  id         uuid,
  side       text CHECK (side IN ('source', 'target')),
  -- The last one that this side has seen done.
  step       text CHECK (step IN ('prepared', 'draining', 'frozen', 'copied', 'verified', 'moved', 'switched', 'retired', 'rolledBack')),
  -- Where the API is from then on.
  address    text,
  changed_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((id IS NULL) = (side IS NULL) AND (id IS NULL) = (step IS NULL))
);
INSERT INTO installation_move DEFAULT VALUES;

-- A move sets triggers that call this, on every table at once, and takes them away again: who is in a transaction that has written is waited
-- for, and whoever comes later is refused, however old the connection. Without a move it costs nothing.
CREATE FUNCTION refuse_while_moving() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  move record;
BEGIN
  EXECUTE format('SELECT side, step, address FROM %I.installation_move', TG_TABLE_SCHEMA) INTO STRICT move;
  IF move.side = 'target' THEN
    RAISE EXCEPTION 'This installation waits for what is moved to it, and takes nothing else until then' USING ERRCODE = 'CR003';
  ELSIF move.step IN ('moved', 'retired') THEN
    RAISE EXCEPTION '%', 'This installation has moved to ' || coalesce(move.address, 'another place') USING ERRCODE = 'CR002';
  END IF;
  RAISE EXCEPTION 'This installation is being moved, and takes no changes until that is over' USING ERRCODE = 'CR001';
END
$$;
