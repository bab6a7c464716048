import type { CallContext, ResourceType } from '@crate/resource-client';
import { Redactor } from '@crate/telemetry';
import type { CallSubject } from './audited-call.js';
import type { AuditRecord } from './record.js';

const MAX_TEXT = 256;
const MAX_GROUPS = 32;

const shapes = new Redactor();

/** How a call ended. */
export interface Outcome {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface RecordOptions {
  /** The service whose log it goes to. */
  readonly service: string;
  readonly now: Date;
}

/** The record of a call; what is known of its effect is laid over it. */
export function recordOf(
  subject: CallSubject,
  context: CallContext,
  outcome: Outcome,
  { service, now }: RecordOptions,
): AuditRecord {
  const { type, namespace, name } = subject;
  return {
    time: now.toISOString(),
    service,
    ...whoOf(context, service),
    verb: subject.verb,
    group: type.group,
    resource: type.plural,
    ...text('kind', subject.kind),
    ...text('subresource', subject.subresource),
    ...text('namespace', namespace),
    ...text('name', name),
    project: projectOf(type, namespace, name),
    ...(subject.dryRun ? { dryRun: true as const } : {}),
    decision: outcome.code === 403 || outcome.code === 429 ? 'denied' : 'allowed',
    code: outcome.code,
    ...text('reason', outcome.reason),
    // Whole, because a secret whose end is cut off has no shape.
    ...text('message', outcome.message && shapes.redactText(outcome.message)),
  };
}

/** A Project is a namespace, and what happens to a Project belongs to it. */
export function projectOf({ group, plural }: ResourceType, namespace?: string, name?: string): string {
  if (namespace !== undefined) return cut(namespace);
  return group === 'lifecycle.crate.dev' && plural === 'projects' ? cut(name ?? '') : '';
}

type Who = Pick<AuditRecord, 'user' | 'groups' | 'traceId' | 'via' | 'address' | 'userAgent'>;

function whoOf({ caller, decidedBy, traceId, origin = {} }: CallContext, service: string): Who {
  const isForSomebody = caller.service !== undefined && (caller.service !== service || decidedBy !== undefined);
  return {
    user: cut(decidedBy ?? caller.user),
    groups: caller.groups.slice(0, MAX_GROUPS).map(cut),
    ...(isForSomebody ? { via: cut(caller.service) } : {}),
    ...text('address', origin.address),
    ...text('userAgent', origin.userAgent),
    traceId,
  };
}

function text<K extends string>(key: K, value: string | undefined): { readonly [key in K]?: string } {
  return value === undefined || value === '' ? {} : ({ [key]: cut(value) } as { readonly [key in K]: string });
}

/** Bounded, and without characters that no JSON column takes. */
function cut(value: string): string {
  return value.slice(0, MAX_TEXT).replaceAll(/[\0\p{Surrogate}]/gu, '\ufffd');
}
