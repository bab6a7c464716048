-- Small: only the runs that go on now, which are looked for every few seconds. Those that ended are many, and wide.
CREATE INDEX "terraform_runs_open" ON "terraform_runs" ("started_at") WHERE "state" = 'running';
