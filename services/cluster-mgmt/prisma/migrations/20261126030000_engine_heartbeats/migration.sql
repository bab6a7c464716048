-- Tells on other hosts whether a run still lives. Replicas of before write none: their runs are dated by this and their start.
ALTER TABLE "engine_runs" ADD COLUMN "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
