import { createHash } from 'node:crypto';
import {
  apiVersionOf,
  INFRASTRUCTURE,
  STATE_VERSION,
  toTimestamp,
  type Infrastructure,
  type StateDiff,
  type StateVersion,
} from '@crate/api';
import type { SecretVersion } from '@crate/secrets';
import type { StateDifference } from '@crate/terraform';
import type { OpenedState } from './state-history.js';

/** Which version of whose state a name means. */
export interface StateVersionName {
  readonly infrastructure: string;
  readonly serial: number;
}

/** Undefined when the name cannot be one. */
export function parseStateVersionName(name: string): StateVersionName | undefined {
  const [, infrastructure, serial] = /^(.+)\.([1-9]\d{0,8})$/.exec(name) ?? [];
  return infrastructure === undefined ? undefined : { infrastructure, serial: Number(serial) };
}

/** A version as an object. Nothing of its content is in it. */
export function stateVersionOf(infrastructure: Infrastructure, version: SecretVersion, newest: boolean): StateVersion {
  const { name, namespace, uid } = infrastructure.metadata;
  const { serial, createdAt, size, facts = {} } = version;
  return {
    apiVersion: apiVersionOf(STATE_VERSION),
    kind: STATE_VERSION.kind,
    metadata: {
      name: `${name}.${serial}`,
      ...(namespace === undefined ? {} : { namespace }),
      uid: uidOf(uid, serial),
      // A version never changes, other than by no longer being the newest.
      resourceVersion: newest ? '2' : '1',
      generation: 1,
      creationTimestamp: toTimestamp(createdAt),
      ownerReferences: [
        { apiVersion: apiVersionOf(INFRASTRUCTURE), kind: INFRASTRUCTURE.kind, name, uid, controller: true },
      ],
    },
    spec: {
      infrastructureRef: { name },
      serial,
      size,
      newest,
      ...text('lineage', facts['lineage']),
      ...number('terraformSerial', facts['serial']),
      ...number('resources', facts['resources']),
      ...text('run', facts['run']),
      ...text('changedBy', facts['by']),
      ...text('reason', facts['reason']),
      ...number('restoredFrom', facts['restored']),
    },
  };
}

/** What changed from one version to another, as people and programs read it. */
export function stateDiffOf(
  { metadata }: StateVersion,
  { from, to, resources, omittedChanges }: StateDifference & { readonly from: OpenedState; readonly to: OpenedState },
): StateDiff {
  const { name, namespace } = metadata;
  const countOf = (action: StateDiff['resources'][number]['action']): number =>
    resources.filter((resource) => resource.action === action).length;
  return {
    apiVersion: apiVersionOf(STATE_VERSION),
    kind: 'StateDiff',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    from: sideOf(from),
    to: sideOf(to),
    counts: { added: countOf('added'), removed: countOf('removed'), changed: countOf('changed') },
    resources: resources.map((resource) => ({ ...resource, changes: [...resource.changes] })),
    omittedChanges,
  };
}

function sideOf({ version, lineage, serial }: OpenedState): StateDiff['from'] {
  return { serial: version.serial, lineage, terraformSerial: serial, createdAt: toTimestamp(version.createdAt) };
}

function text<K extends string>(name: K, value: unknown): { readonly [key in K]?: string } {
  return typeof value === 'string' ? ({ [name]: value } as { readonly [key in K]?: string }) : {};
}

function number<K extends string>(name: K, value: unknown): { readonly [key in K]?: number } {
  return typeof value === 'number' ? ({ [name]: value } as { readonly [key in K]?: number }) : {};
}

/** The same for as long as the version is kept: a name-based UUID (RFC 9562, version 5). */
function uidOf(infrastructureUid: string, serial: number): string {
  const hash = createHash('sha1').update(`${infrastructureUid}/state/${serial}`).digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.subarray(0, 16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
