import type { PlatformError } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';

/** The same API, which answers every call with the error once there is one: reads would be answered out of memory that is no longer the newest. */
export function refusedOnce(api: ResourceApi, refused: () => PlatformError | undefined): ResourceApi {
  return new Proxy(api, {
    get: (inner, name): unknown => {
      const member: unknown = Reflect.get(inner, name);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]): unknown => {
        const error = refused();
        if (!error) return Reflect.apply(member, inner, values);
        // Only watches answer at once, with what is read from later.
        if (name === 'watch') throw error;
        return Promise.reject(error);
      };
    },
  });
}
