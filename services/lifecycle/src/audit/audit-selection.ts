import { AUDIT_EVENT_SELECTORS, PLATFORM_NAMESPACE, type AuditField, type AuditReadRequest } from '@crate/api';
import type { AuditCondition, AuditRecord } from '@crate/audit';
import { badRequest } from '@crate/errors';
import { parseFieldSelector, type FieldRequirement } from '@crate/resource-store';

/** Which records are wanted, in the words of the logs; `names` are those of the events themselves. */
export interface AuditSelection extends Pick<AuditReadRequest, 'conditions' | 'since' | 'until'> {
  readonly name?: string;
}

export interface SelectionInput {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** Throws BadRequest that names what can be selected by. */
export function selectionOf({ namespace, fieldSelector, labelSelector }: SelectionInput): AuditSelection {
  if (labelSelector) throw badRequest('audit events have no labels: select by field');
  const conditions: AuditCondition[] = [];
  const rest: { since?: string; until?: string; name?: string } = {};
  if (namespace !== undefined) conditions.push(projectIs(namespace, true));
  for (const requirement of parseFieldSelector(fieldSelector)) take(requirement, conditions, rest);
  return { ...(conditions.length === 0 ? {} : { conditions }), ...rest };
}

/** The same without what was before. */
export function selectedSince(selection: AuditSelection, start: Date | undefined): AuditSelection {
  const [since] = [start?.toISOString(), selection.since]
    .filter((time) => time !== undefined)
    .toSorted()
    .reverse();
  return since === undefined ? selection : { ...selection, since };
}

/** Whether a record is wanted. The services are asked for such alone; one that answers with others shows nobody what is not theirs. */
export function isSelected(record: AuditRecord, { conditions = [], since, until }: AuditSelection): boolean {
  if ((since !== undefined && record.time < since) || (until !== undefined && record.time >= until)) return false;
  return conditions.every(({ field, isEqual, value }) => (String(record[field] ?? '') === value) === isEqual);
}

function take(
  { path, isEqual, value }: FieldRequirement,
  conditions: AuditCondition[],
  rest: { since?: string; until?: string; name?: string },
): void {
  const field = path.join('.');
  if (field === 'metadata.namespace') return void conditions.push(projectIs(value, isEqual));
  if (field === 'metadata.name' && isEqual) return void (rest.name = value);
  if ((field === 'since' || field === 'until') && isEqual) return void (rest[field] = timeOf(field, value));
  if (!isField(field)) throw unknown(field);
  conditions.push({ field, isEqual, value });
}

function projectIs(namespace: string, isEqual: boolean): AuditCondition {
  return { field: 'project', isEqual, value: namespace === PLATFORM_NAMESPACE ? '' : namespace };
}

function isField(field: string): field is AuditField {
  return field !== 'since' && field !== 'until' && (AUDIT_EVENT_SELECTORS as readonly string[]).includes(field);
}

function timeOf(field: string, value: string): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) throw badRequest(`${field} must be a time such as 2026-01-31T12:00:00Z`);
  return time.toISOString();
}

function unknown(field: string): Error {
  return badRequest(
    `field label not supported: ${field}; audit events are selected by ${AUDIT_EVENT_SELECTORS.join(', ')} (since and until with = only)`,
  );
}
