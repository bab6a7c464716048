import type { ResourceApi, ResourceType } from '@crate/resource-client';
import type { KindRegistry } from '../kinds/kind-registry.js';

type Verb = (subject: ResourceType, ...rest: readonly unknown[]) => unknown;

/** The verbs of kinds that answer for themselves (`ServedKind.api`) go there, all others to `stored`. */
export function withOwnApis(stored: ResourceApi, kinds: KindRegistry): ResourceApi {
  return new Proxy(stored, {
    get(target, property, receiver) {
      if (typeof Reflect.get(target, property, receiver) !== 'function') return undefined;
      const call: Verb = (subject, ...rest) => {
        const owner = kinds.find(subject)?.api ?? target;
        return (Reflect.get(owner, property) as Verb).call(owner, subject, ...rest);
      };
      return call;
    },
  });
}
