-- CreateTable
CREATE TABLE "terraform_runs" (
    "id" UUID NOT NULL,
    "infrastructure_uid" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "epoch" BIGINT NOT NULL,
    "process" JSONB,
    "runtime_id" TEXT,
    "plan_summary" JSONB,
    "log" TEXT NOT NULL DEFAULT '',
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "terraform_runs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "terraform_runs_infrastructure_uid_started_at_idx" ON "terraform_runs"("infrastructure_uid", "started_at");
