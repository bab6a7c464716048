import fc from 'fast-check';
import type { Operation } from './api-document.js';
import { hostileSegment, hostileText } from './hostile.js';
import { collectionAt } from './known-names.js';
import type { RequestClass } from './request-arbitrary.js';
import type { Draft } from './settle.js';
import type { Tenant } from './tenant.js';

const NEW_NAMES = Array.from({ length: 12 }, (_, index) => `fuzz-${index}`);
const GROUPS = ['lifecycle.crate.dev', 'cloud.crate.dev', 'nobody.dev'];

type Place = Pick<Draft, 'path' | 'name' | 'isKept'>;

const odd = fc.oneof({ arbitrary: hostileText.map(encode), weight: 4 }, { arbitrary: hostileSegment, weight: 1 });

/** What a request is about: mostly something that there is, sometimes what requests made, or nothing. */
export function placeOf(kind: RequestClass, { path }: Operation, tenant: Tenant): fc.Arbitrary<Place> {
  const known = tenant.names[collectionAt(path, tenant.names) ?? ''] ?? [];
  const isNamed = /\{(name|infrastructure)\}/.test(path);
  const other = fc.constantFrom(tenant.cluster, tenant.project, 'main', ...NEW_NAMES);
  const names =
    known.length === 0
      ? other
      : fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 3 }, { arbitrary: other, weight: 1 });
  const maybeOdd = (right: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    kind === 'hostile' ? fc.oneof(right, odd) : right;
  return fc
    .record({
      namespace: maybeOdd(fc.constant(tenant.project)),
      name: maybeOdd(names),
      group: maybeOdd(fc.constantFrom(...GROUPS)),
      tail: fc.oneof({ arbitrary: fc.constant(''), weight: 9 }, { arbitrary: odd, weight: 1 }),
    })
    .map(({ namespace, name, group, tail }) => {
      const filled = path
        .replace(/\{(namespace|project)\}/, () => namespace)
        .replace(/\{(name|infrastructure)\}/, () => name)
        .replace('{group}', () => group)
        .replace('{version}', 'v1alpha1');
      return {
        path: kind === 'hostile' && tail !== '' ? `${filled}/${tail}` : filled,
        // A deletion of a collection takes all that is in it.
        isKept: isNamed ? known.includes(name) : known.length > 0 && path in tenant.names,
        ...(isNamed && /^[a-z0-9.-]+$/.test(name) ? { name } : {}),
      };
    });
}

/** Percent-encoded, so that it travels; half of a surrogate pair cannot. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).slice(0, 4_000);
}
