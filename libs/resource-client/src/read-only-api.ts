import type { KubeList, KubeObject } from '@crate/api';
import { forbidden, PlatformError } from '@crate/errors';
import {
  ResourceApi,
  type CallContext,
  type LogChunk,
  type ResourceRef,
  type ResourceType,
  type SubresourceWrite,
  type WriteResult,
} from './resource-api.js';

/** An API of objects that nobody writes through it: every write is Forbidden, and there are no subresources. */
export abstract class ReadOnlyApi extends ResourceApi {
  override create(type: ResourceType): Promise<WriteResult> {
    return this.refuse(type);
  }

  override update(ref: ResourceRef): Promise<WriteResult> {
    return this.refuse(ref);
  }

  override patch(ref: ResourceRef): Promise<WriteResult> {
    return this.refuse(ref);
  }

  override remove(ref: ResourceRef): Promise<KubeObject> {
    return this.refuse(ref);
  }

  override removeCollection(type: ResourceType): Promise<KubeList> {
    return this.refuse(type);
  }

  override readSubresource(_ref: ResourceRef, _subresource: string, _context: CallContext): Promise<unknown> {
    return Promise.reject(unknownPath());
  }

  override writeSubresource(
    _ref: ResourceRef,
    _subresource: string,
    _write: SubresourceWrite,
    _context: CallContext,
  ): Promise<unknown> {
    return Promise.reject(unknownPath());
  }

  override readLog(): Promise<LogChunk> {
    return Promise.reject(unknownPath());
  }

  private refuse(type: ResourceType): Promise<never> {
    const message = `${type.plural} are read-only: the platform writes them itself`;
    return Promise.reject(forbidden(message, { group: type.group, kind: type.plural, reason: 'ReadOnly' }));
  }
}

function unknownPath(): PlatformError {
  return new PlatformError('NotFound', 'the server could not find the requested resource');
}
