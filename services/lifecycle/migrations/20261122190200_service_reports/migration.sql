-- What each service said of itself last, for when nobody answers for it any more, this service's restart included.
CREATE TABLE service_reports (
  service text PRIMARY KEY,
  told_at timestamptz NOT NULL,
  report jsonb NOT NULL
) WITH (fillfactor = 50);
