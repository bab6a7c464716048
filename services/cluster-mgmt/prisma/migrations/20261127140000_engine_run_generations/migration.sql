-- Tells which spec a run works towards, whichever release wrote its configuration. Replicas of before write none.
ALTER TABLE "engine_runs" ADD COLUMN "generation" INTEGER;
