import { createHash } from 'node:crypto';
import { apiVersionOf, toTimestamp, type KubeObject, type StateDiff } from '@crate/api';
import type { SecretFacts, SecretVersion } from '@crate/secrets';
import type { StateComparison, VersionedStates } from './versioned-states.js';

/** Which version of whose state a name means. */
export interface StateVersionName {
  readonly owner: string;
  readonly serial: number;
}

/** A version of a state as an object: what is known of it. */
export type ShownVersion = KubeObject & {
  readonly spec: { readonly serial: number; readonly newest: boolean; readonly [field: string]: unknown };
};

type Shape = Pick<VersionedStates, 'definition' | 'owner' | 'ownerField' | 'describe'>;

/** Undefined when the name cannot be one. */
export function parseStateVersionName(name: string): StateVersionName | undefined {
  const [, owner, serial] = /^(.+)\.([1-9]\d{0,8})$/.exec(name) ?? [];
  return owner === undefined ? undefined : { owner, serial: Number(serial) };
}

/** A version as an object. Nothing of its content is in it. */
export function stateVersionOf(
  { definition, owner, ownerField, describe }: Shape,
  { metadata: { name, namespace, uid } }: KubeObject,
  { serial, createdAt, size, facts = {} }: SecretVersion,
  newest: boolean,
): ShownVersion {
  return {
    apiVersion: apiVersionOf(definition),
    kind: definition.kind,
    metadata: {
      name: `${name}.${serial}`,
      ...(namespace === undefined ? {} : { namespace }),
      uid: uidOf(uid, serial),
      // A version never changes, other than by no longer being the newest.
      resourceVersion: newest ? '2' : '1',
      generation: 1,
      creationTimestamp: toTimestamp(createdAt),
      ownerReferences: [{ apiVersion: apiVersionOf(owner), kind: owner.kind, name, uid, controller: true }],
    },
    spec: { [ownerField]: { name }, serial, size, newest, ...describe(facts), ...originOf(facts) },
  };
}

/** What changed from one version to another, as people and programs read it. */
export function stateDiffOf(
  { definition }: Pick<VersionedStates, 'definition'>,
  { metadata: { name, namespace } }: KubeObject,
  { from, to, resources, omittedChanges }: StateComparison,
): StateDiff {
  const countOf = (action: StateDiff['resources'][number]['action']): number =>
    resources.filter((resource) => resource.action === action).length;
  return {
    apiVersion: apiVersionOf(definition),
    kind: 'StateDiff',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    from,
    to,
    counts: { added: countOf('added'), removed: countOf('removed'), changed: countOf('changed') },
    resources: resources.map((resource) => ({ ...resource, changes: [...resource.changes] })),
    omittedChanges,
  };
}

/** Some of the facts under the names that a spec has for them; those that are not known are left out. */
export function factsAs(facts: SecretFacts, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, fact]) => (facts[fact] === undefined ? [] : [[name, facts[fact]]])),
  );
}

function originOf(facts: SecretFacts): Record<string, unknown> {
  return factsAs(facts, { run: 'run', changedBy: 'by', reason: 'reason', restoredFrom: 'restored' });
}

/** The same for as long as the version is kept: a name-based UUID (RFC 9562, version 5). */
function uidOf(ownerUid: string, serial: number): string {
  const hash = createHash('sha1').update(`${ownerUid}/state/${serial}`).digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.subarray(0, 16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
