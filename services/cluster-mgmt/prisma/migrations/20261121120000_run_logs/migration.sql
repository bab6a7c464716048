-- Logs are kept in parts (run_log_parts).
ALTER TABLE "engine_runs" DROP COLUMN "log";
