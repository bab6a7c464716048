import type { CallContext, ResourceApi, ResourceType, WatchOptions } from '@crate/resource-client';
import { untilMoved } from './until-moved.js';

/**
 * The same API until the installation has moved. From then on every call is answered with the refusal: reads would be answered out of memory that is no
 * longer the newest. Watches that are open end with it as well.
 */
export function refusedOnceMoved(api: ResourceApi, moved: AbortSignal): ResourceApi {
  const watch = (type: ResourceType, options: WatchOptions, context: CallContext): ReturnType<ResourceApi['watch']> => {
    moved.throwIfAborted();
    return untilMoved((signal) => api.watch(type, options, { ...context, signal }), { moved, signal: context.signal });
  };
  return new Proxy(api, {
    get: (inner, name): unknown => {
      if (name === 'watch') return watch;
      const member: unknown = Reflect.get(inner, name);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]): unknown =>
        moved.aborted ? Promise.reject(moved.reason as Error) : Reflect.apply(member, inner, values);
    },
  });
}
