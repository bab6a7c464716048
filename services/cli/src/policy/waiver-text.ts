import { findCondition, type PolicyWaiver } from '@crate/api';
import { visible } from '../output/visible.js';

const WIDTH = 15;

/** A waiver as whoever decides about it reads it. */
export function waiverLines({ metadata, spec, status = {} }: PolicyWaiver): readonly string[] {
  const state = findCondition(status.conditions, 'Ready')?.reason;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Waiver', `${metadata.name} in Project ${metadata.namespace ?? ''}`],
    ['Rules', spec.policies.join(', ')],
    ['Covers now', coverText(status.covers)],
    ['Clusters', spec.clusters?.join(', ') ?? 'all of the Project'],
    ['Fields', spec.fields?.join(', ') ?? 'all'],
    ['Reason', spec.reason],
    ['Ticket', spec.ticket],
    ['Until', spec.expiresAt],
    ['Asked for by', status.requestedBy],
    ['Approved by', status.approvals?.map(({ by, as }) => `${by} (${as})`).join(', ')],
    ['Taken back by', status.revoked && `${status.revoked.by} at ${status.revoked.at}`],
    ['State', state],
  ];
  return rows.flatMap(([name, value]) => (value ? [`${`${name}:`.padEnd(WIDTH)}${shown(value)}`] : []));
}

/** Whoever asks for a waiver writes no rows for who decides about it. */
function shown(value: string): string {
  return visible(value).replaceAll('\n', `\n${' '.repeat(WIDTH)}`);
}

function coverText(covers: NonNullable<PolicyWaiver['status']>['covers']): string | undefined {
  if (!covers) return undefined;
  const more = covers.count - covers.policies.length;
  return `${covers.policies.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
