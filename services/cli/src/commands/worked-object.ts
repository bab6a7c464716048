import { InvalidArgumentError } from 'commander';
import { apiVersionOf, CLUSTER, INFRASTRUCTURE, KUBERNETES_CLUSTER, type KindDefinition } from '@crate/api';

/** Kinds that runs are made for. */
const KINDS: readonly KindDefinition[] = [CLUSTER, INFRASTRUCTURE, KUBERNETES_CLUSTER];

/** An object that runs are made for, as a person names it: `cluster/demo`, or `demo`, which is a cluster. */
export interface WorkedObject {
  readonly kind: KindDefinition;
  readonly name: string;
}

/** Throws InvalidArgumentError that says what is expected. */
export function parseWorkedObject(text: string): WorkedObject {
  const [name = '', kindName = CLUSTER.singular, ...rest] = text.split('/').toReversed();
  const asked = kindName.toLowerCase();
  const kind = KINDS.find(({ singular, plural, shortNames }) => [singular, plural, ...shortNames].includes(asked));
  if (kind && name !== '' && rest.length === 0) return { kind, name };
  const known = KINDS.map(({ singular }) => `${singular}/NAME`).join(', ');
  throw new InvalidArgumentError(`Give one of ${known}.`);
}

/** The path of the object. */
export function objectPath({ kind, name }: WorkedObject, namespace: string): string {
  const object = [namespace, kind.plural, name].map(encodeURIComponent);
  return `/apis/${apiVersionOf(kind)}/namespaces/${object.join('/')}`;
}

/** The path of a subresource of the object. */
export function subresourcePath(object: WorkedObject, namespace: string, subresource: string): string {
  return `${objectPath(object, namespace)}/${encodeURIComponent(subresource)}`;
}
