-- When the Terraform of the person who holds a lock was last heard of. Runs tell so themselves (terraform_runs.heartbeat_at).
ALTER TABLE "terraform_state_locks" ADD COLUMN "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
UPDATE "terraform_state_locks" SET "seen_at" = "since";
