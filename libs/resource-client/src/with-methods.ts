import type { ResourceApi } from './resource-api.js';

/** The same API, but for these methods. */
export function withMethods(api: ResourceApi, methods: Partial<ResourceApi>): ResourceApi {
  return new Proxy(api, {
    get(target, property, receiver) {
      if (Object.hasOwn(methods, property)) return methods[property as keyof ResourceApi];
      const value: unknown = Reflect.get(target, property, receiver);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
