export {
  ResourceApi,
  type Caller,
  type CallContext,
  type DeleteOptions,
  type FieldValidation,
  type ListOptions,
  type PatchOptions,
  type PatchType,
  type ResourceRef,
  type ResourceType,
  type WatchOptions,
  type WriteOptions,
  type WriteResult,
} from './resource-api.js';
export { TypedClient, type Draft } from './typed-client.js';
export { ResourceRouter, type KindInfo, type Route } from './resource-router.js';
