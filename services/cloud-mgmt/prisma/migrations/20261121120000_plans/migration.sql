-- Logs are kept in parts (run_log_parts); what a run planned is kept to be read.
ALTER TABLE "terraform_runs" DROP COLUMN "log",
ADD COLUMN "generation" INTEGER,
ADD COLUMN "plan" JSONB,
ADD COLUMN "review" JSONB;
