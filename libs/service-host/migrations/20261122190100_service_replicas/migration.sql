-- Each run of each process of the service, and what it said of itself last. Every time is this server's.
CREATE TABLE service_replicas (
  id uuid PRIMARY KEY,
  -- Of the service, the host and the process: what holders of leases are called.
  name text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Set when the process ends in order; one that dies leaves it empty.
  stopped_at timestamptz,
  said jsonb NOT NULL
) WITH (fillfactor = 50);
