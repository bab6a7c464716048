-- One run of an engine's program for one KubernetesCluster.
CREATE TABLE "engine_runs" (
    "id" UUID NOT NULL,
    "cluster_uid" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "config_hash" TEXT NOT NULL,
    "epoch" BIGINT NOT NULL,
    "workspace" TEXT NOT NULL,
    "process" JSONB,
    "log" TEXT NOT NULL DEFAULT '',
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "engine_runs_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "engine_runs_cluster_uid_epoch_idx" ON "engine_runs"("cluster_uid", "epoch");

CREATE INDEX "engine_runs_state_idx" ON "engine_runs"("state");
