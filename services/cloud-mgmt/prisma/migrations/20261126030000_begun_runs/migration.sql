-- Of runs before it, and of those of replicas of the release before, nobody knows: they count as begun.
ALTER TABLE "terraform_runs" ADD COLUMN "begun" BOOLEAN NOT NULL DEFAULT true;
