export {
  ResourceStore,
  type ChangeNotice,
  type Collection,
  type ObjectKey,
  type StoreListOptions,
  type StoreQuery,
  type StoreRemoveOptions,
  type StoreWatchOptions,
} from './resource-store.js';
