import type { KindRegistry } from '@crate/resource-server';
import type { WitnessedChange, WriteWitness } from '@crate/resource-store';
import { apiVersionOf, type KubeObject } from '@crate/api';
import type { ResourceType } from '@crate/resource-client';
import { recordOf, projectOf } from './audit-record.js';
import { currentCall, type AuditedCall } from './audited-call.js';
import { fieldChanges, type Diff } from './field-changes.js';
import type { AuditRecord } from './record.js';
import type { SecretSchema } from './redaction.js';

const MAX_ALSO = 20;

export interface WriteWitnessOptions {
  readonly service: string;
  readonly kinds: KindRegistry;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/** Records each write of a call as its doing. What a service does to the status and finalizers of its own objects is left out. */
export function writeWitness({ service, kinds, now = () => new Date() }: WriteWitnessOptions): WriteWitness {
  return (changes) => {
    const call = currentCall();
    if (!call) return [];
    const index = mainChange(changes, call);
    const main = changes[index];
    if (!main) return [];
    const diff = diffOf(main, schemaOf(kinds, call.subject.type, main.after));
    if (isOwnWork(call, service) && isHousekeeping(diff)) return [];
    call.isWitnessed = true;
    const base = recordOf(call.subject, call.context, { code: codeOf(main) }, { service, now: now() });
    return [{ ...base, ...effectOf(call, changes, main, diff), change: index }];
  };
}

function effectOf(
  call: AuditedCall,
  changes: readonly WitnessedChange[],
  main: WitnessedChange,
  diff: Diff,
): Partial<AuditRecord> {
  const { metadata, kind } = main.after;
  const { namespace, name, uid } = metadata;
  const others = changes.filter((change) => change !== main).map(({ after }) => labelOf(after));
  return {
    kind,
    name,
    uid,
    ...(namespace === undefined ? {} : { namespace }),
    project: projectOf(call.subject.type, namespace, name),
    ...(diff.changes.length === 0 ? {} : { changes: diff.changes }),
    ...(diff.omitted === 0 ? {} : { changesOmitted: diff.omitted }),
    ...(others.length === 0 ? {} : { alsoChanged: others.slice(0, MAX_ALSO) }),
  };
}

/** The change of the object that was asked for; what it brings along may come before it. */
function mainChange(changes: readonly WitnessedChange[], { subject }: AuditedCall): number {
  const found = changes.findIndex(
    ({ after: { metadata } }) =>
      metadata.name === subject.name && (metadata.namespace ?? '') === (subject.namespace ?? ''),
  );
  return Math.max(found, 0);
}

function diffOf({ type, before, after }: WitnessedChange, schema: SecretSchema | undefined): Diff {
  if (type === 'DELETED') return { changes: [], omitted: 0 };
  return fieldChanges(before, after, schema);
}

/** A view's write changes objects of another kind. */
function schemaOf(
  kinds: KindRegistry,
  asked: ResourceType,
  { apiVersion, kind }: KubeObject,
): SecretSchema | undefined {
  const target = kinds.find(asked)?.info;
  const isTarget = target?.kind === kind;
  const info = isTarget
    ? target
    : kinds.infos().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  return info?.schema;
}

function codeOf({ type }: WitnessedChange): number {
  return type === 'ADDED' ? 201 : 200;
}

/** A service at work on objects of its own, not on behalf of anybody. */
function isOwnWork({ context }: AuditedCall, service: string): boolean {
  return context.caller.service === service;
}

function isHousekeeping({ changes }: Diff): boolean {
  return changes.length > 0 && changes.every(({ path }) => /^\/(status|metadata\/finalizers)(\/|$)/.test(path));
}

function labelOf({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter(Boolean).join('/');
}
