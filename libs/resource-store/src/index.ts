export { continueAt, continueBehind, isContinuedBehind } from './continue-token.js';
export { digestOf, GUARD_CHANGED, type GuardedObjects, type StoreGuard } from './guard.js';
export { freezeJson } from './object/json.js';
export { openFileJournal } from './journal/file-journal.js';
export { Journal } from './journal/journal.js';
export { syncDirectory } from './journal/sync-directory.js';
export { InMemoryResourceStore } from './memory/in-memory-resource-store.js';
export { MemoryState } from './memory/memory-state.js';
export { resourceStoreMigrations } from './migrations.js';
export { lockHead } from './postgres/head-lock.js';
export { PostgresResourceStore } from './postgres/postgres-resource-store.js';
export {
  ResourceStore,
  type ChangeListener,
  type ChangeNotice,
  type Collection,
  type ObjectKey,
  type StoreListOptions,
  type StoreQuery,
  type StoreRemoveOptions,
  type StoreWatchOptions,
  type StoreWriteOptions,
} from './resource-store.js';
export { matchesFields, parseFieldSelector, type FieldRequirement } from './selector/field-selector.js';
export { matchesLabels, parseLabelSelector, type LabelRequirement } from './selector/label-selector.js';
export type { WitnessedChange, WitnessEntry, WriteWitness } from './witness.js';
export { asOfWatch } from './revision.js';
