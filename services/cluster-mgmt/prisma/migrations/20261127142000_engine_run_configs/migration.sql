-- What a run works towards, without secrets: policy judges what was applied, whichever release wrote it. Replicas of before write none.
ALTER TABLE "engine_runs" ADD COLUMN "config" JSONB;
