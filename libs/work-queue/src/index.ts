export { assertEpoch } from './assert-epoch.js';
export { WORK_QUEUE_MIGRATIONS } from './migrations.js';
export { PostgresWorkQueue, type PostgresWorkQueueOptions } from './postgres-work-queue.js';
export { WorkOverview, type HeldKey, type WorkTally } from './work-overview.js';
