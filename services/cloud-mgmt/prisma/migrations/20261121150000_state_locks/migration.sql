-- Who works on the Terraform state of an Infrastructure: a run that may change something, or a person. One at a time.
CREATE TABLE "terraform_state_locks" (
    "infrastructure_uid" TEXT NOT NULL,
    -- Of the run, or as the person's Terraform made it.
    "id" TEXT NOT NULL,
    "by_hand" BOOLEAN NOT NULL,
    -- Service and host of a run; the person.
    "holder" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    -- What the person's Terraform says of itself.
    "info" TEXT NOT NULL DEFAULT '',
    "epoch" BIGINT,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "terraform_state_locks_pkey" PRIMARY KEY ("infrastructure_uid")
);

-- Runs that are open while this is applied.
INSERT INTO "terraform_state_locks" ("infrastructure_uid", "id", "by_hand", "holder", "operation", "epoch", "since")
SELECT DISTINCT ON ("infrastructure_uid")
       "infrastructure_uid", "id"::text, false, 'cloud-mgmt@' || coalesce("process"->>'host', 'unknown'), "kind", "epoch", "started_at"
FROM "terraform_runs" WHERE "state" = 'running' AND "kind" <> 'check'
ORDER BY "infrastructure_uid", "epoch" DESC;
