-- Whether the database was set back to an older point, and whether a person has looked at what that came to.
CREATE TABLE recovery (
  only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- How often that has happened.
  epoch        bigint NOT NULL DEFAULT 0,
  -- Null: never.
  begun_at     timestamptz,
  reason       text,
  -- Null while nobody has confirmed.
  confirmed_at timestamptz,
  confirmed_by text
);
INSERT INTO recovery DEFAULT VALUES;
