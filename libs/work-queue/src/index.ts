export { assertEpoch } from './assert-epoch.js';
export { WORK_QUEUE_MIGRATIONS } from './migrations.js';
export { PostgresWorkQueue, type SqlClient } from './postgres-work-queue.js';
