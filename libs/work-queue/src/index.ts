export { assertEpoch } from './assert-epoch.js';
export { WORK_QUEUE_MIGRATIONS } from './migrations.js';
export { nextEpoch } from './next-epoch.js';
export { PostgresWorkQueue } from './postgres-work-queue.js';
export { WorkOverview, type HeldKey, type WorkTally } from './work-overview.js';
