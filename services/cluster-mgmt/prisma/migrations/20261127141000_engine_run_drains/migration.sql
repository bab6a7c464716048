-- Tells that nodes may be of two versions until a run has succeeded. Replicas of before write none, and go by what was seen of the nodes.
ALTER TABLE "engine_runs" ADD COLUMN "drains" BOOLEAN NOT NULL DEFAULT false;
