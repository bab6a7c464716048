export { InMemoryLogParts } from './in-memory-log-parts.js';
export { LogParts, type LogPart } from './log-part.js';
export { RUN_LOG_MIGRATIONS } from './migrations.js';
export { PostgresLogParts } from './postgres-log-parts.js';
export { RunLogWriter } from './run-log-writer.js';
export { RunLogs } from './run-logs.js';
export { isWorkAhead } from './work-ahead.js';
