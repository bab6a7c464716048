export {
  ResourceApi,
  type Caller,
  type CallContext,
  type CallOrigin,
  type DeleteOptions,
  type FieldValidation,
  type ListOptions,
  type LogChunk,
  type LogQuery,
  type PatchOptions,
  type PatchType,
  type ReadLogOptions,
  type RemoveResult,
  type ResourceRef,
  type ResourceType,
  type SubresourceQuery,
  type SubresourceWrite,
  type WatchOptions,
  type WriteOptions,
  type WriteResult,
} from './resource-api.js';
export { asSubresourceFile, subresourceFile, type OpenedFile, type SubresourceFile } from './subresource-file.js';
export { SharedFinds } from './shared-finds.js';
export { SharedLook } from './shared-look.js';
export { TypedClient, type Draft } from './typed-client.js';
export { findObject, ReadOnlyApi, ViewApi } from './read-only-api.js';
export { withMethods } from './with-methods.js';
export { ResourceRouter, type KindInfo, type Route } from './resource-router.js';
