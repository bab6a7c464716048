export { InMemoryLogParts } from './in-memory-log-parts.js';
export { LogParts, type LogPart, type NewLogPart } from './log-part.js';
export { RUN_LOG_MIGRATIONS } from './migrations.js';
export { PostgresLogParts } from './postgres-log-parts.js';
export { RunLogWriter, type RunLogWriterOptions } from './run-log-writer.js';
export { RunLogs, type FollowOptions, type RunLogsOptions } from './run-logs.js';
export { isWorkAhead } from './work-ahead.js';
