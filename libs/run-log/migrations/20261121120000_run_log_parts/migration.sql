-- What runs of programs printed, some lines a row. Rows are only ever added at the end and taken away.
CREATE TABLE run_log_parts (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner      text COLLATE "C" NOT NULL, -- uid of the object that the run was for
  run        uuid NOT NULL,
  first_line int NOT NULL, -- number of the first line within its run, from 1: a gap tells what was dropped
  line_count int NOT NULL,
  last_at    text COLLATE "C" NOT NULL, -- RFC 3339, of the last line
  body       text NOT NULL -- lines as `<RFC 3339> <text>`, each with its line feed
);

CREATE INDEX run_log_parts_owner ON run_log_parts (owner, seq);
