import { apiVersionOf, AUDIT_EVENT, PLATFORM_NAMESPACE, withoutUndefined, type AuditEvent } from '@crate/api';
import { formatPosition } from './audit-position.js';
import type { MergedRecord } from './merged-audit.js';

/** A record as an object of the API. */
export function auditEventOf({ service, row, record, position }: MergedRecord): AuditEvent {
  const {
    group,
    resource,
    kind,
    subresource,
    namespace,
    name,
    uid,
    resourceVersion: version,
    project,
    ...rest
  } = record;
  const object = { group, resource, kind, subresource, namespace, name, uid, resourceVersion: version };
  return {
    apiVersion: apiVersionOf(AUDIT_EVENT),
    kind: AUDIT_EVENT.kind,
    metadata: {
      name: nameOf(service, row.seq),
      namespace: project === '' ? PLATFORM_NAMESPACE : project,
      uid: uidOf(row.hash),
      resourceVersion: formatPosition(position),
      generation: 1,
      creationTimestamp: `${record.time.slice(0, 19)}Z`,
    },
    ...rest,
    service,
    object: withoutUndefined(object),
    chain: { seq: row.seq, hash: row.hash },
  } as unknown as AuditEvent;
}

export function nameOf(service: string, seq: number): string {
  return `${service}.${seq}`;
}

/** The log and the row that a name stands for, of no more digits than rows have. */
export function parseName(name: string): { readonly service: string; readonly seq: number } | undefined {
  const [, service, seq] = /^([a-z0-9-]+)\.([1-9]\d{0,10})$/.exec(name) ?? [];
  return service === undefined ? undefined : { service, seq: Number(seq) };
}

/** Of the hash, so that the same record has the same uid for everybody. */
function uidOf(hash: string): string {
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
