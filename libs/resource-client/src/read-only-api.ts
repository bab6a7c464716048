import type { KindDefinition, KubeList, KubeObject, KubeObjectInput } from '@crate/api';
import { forbidden, hasCode, PlatformError } from '@crate/errors';
import {
  ResourceApi,
  type CallContext,
  type LogChunk,
  type RemoveResult,
  type ResourceRef,
  type ResourceType,
  type SubresourceWrite,
  type WriteOptions,
  type WriteResult,
} from './resource-api.js';

/** An API of objects that nobody writes through it: every write is Forbidden, and there are no subresources. */
export abstract class ReadOnlyApi extends ResourceApi {
  override create(
    type: ResourceType,
    _object?: KubeObjectInput,
    _options?: WriteOptions,
    _context?: CallContext,
  ): Promise<WriteResult> {
    return this.refuse(type);
  }

  override update(ref: ResourceRef): Promise<WriteResult> {
    return this.refuse(ref);
  }

  override patch(ref: ResourceRef): Promise<WriteResult> {
    return this.refuse(ref);
  }

  override remove(ref: ResourceRef): Promise<RemoveResult> {
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

  /** What a write is answered with. */
  protected refusal({ plural, group }: ResourceType): PlatformError {
    return forbidden(`${plural} are read-only: the platform writes them itself`, {
      group,
      kind: plural,
      reason: 'ReadOnly',
    });
  }

  private refuse(type: ResourceType): Promise<never> {
    return Promise.reject(this.refusal(type));
  }
}

/** A view of what is stored as something else: writes are not offered (405), and the refusal says what to do instead. */
export abstract class ViewApi extends ReadOnlyApi {
  constructor(private readonly viewed: KindDefinition) {
    super();
  }

  protected override refusal(): PlatformError {
    const { group, plural, instead = `${plural} are read-only` } = this.viewed;
    return new PlatformError('MethodNotAllowed', instead, { details: { group, kind: plural } });
  }
}

/** The object, or undefined where there is none. */
export async function findObject(
  api: ResourceApi,
  ref: ResourceRef,
  context: CallContext,
): Promise<KubeObject | undefined> {
  try {
    return await api.get(ref, context);
  } catch (error) {
    if (hasCode(error, 'NotFound')) return undefined;
    throw error;
  }
}

function unknownPath(): PlatformError {
  return new PlatformError('NotFound', 'the server could not find the requested resource');
}
