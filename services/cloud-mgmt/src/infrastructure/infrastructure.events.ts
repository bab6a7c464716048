import type { Infrastructure } from '@crate/api';
import type { ConditionTellings, EventDraft } from '@crate/reconcile';
import type { ChangeSummary } from '@crate/terraform';
import { DRIFT_TELLINGS } from '../drift/drift.events.js';
import type { TerraformRunKind } from '../terraform-run/terraform-run.repository.js';

/** What people are told of an Infrastructure's conditions; a Cluster tells the same of itself. */
export const INFRASTRUCTURE_TELLINGS: ConditionTellings<Infrastructure> = {
  ...DRIFT_TELLINGS,
  Ready: {
    becameTrue: () => ({
      type: 'Normal',
      reason: 'Ready',
      message: 'All cloud resources are in place',
      isInternal: true,
    }),
  },
  PolicyCompliant: {
    // A pass that fails for it tells it itself.
    becameFalse: ({ status }, { message }) =>
      status?.failure?.code === 'PolicyDenied'
        ? undefined
        : { type: 'Warning', reason: 'PolicyViolated', message, isInternal: true },
  },
  Deleting: {
    becameTrue: () => ({ type: 'Normal', reason: 'Deleting', message: 'Deletion was asked for', isInternal: true }),
  },
};

/** Told once nothing is left. */
export const INFRASTRUCTURE_REMOVED: EventDraft = {
  type: 'Normal',
  reason: 'InfrastructureRemoved',
  message: 'All cloud resources are gone',
};

/** What a plan is going to do. */
export function terraformPlanned(changes: ChangeSummary): EventDraft {
  return { type: 'Normal', reason: 'TerraformPlanned', message: `Plan: ${countsOf(changes, 'to ')}` };
}

/** What was done. */
export function terraformApplied(kind: TerraformRunKind, changes: ChangeSummary): EventDraft {
  if (kind === 'destroy') {
    return { type: 'Normal', reason: 'TerraformDestroyed', message: `${changes.remove} cloud resources are destroyed` };
  }
  return { type: 'Normal', reason: 'TerraformApplied', message: `Applied: ${countsOf(changes, '')}` };
}

/** What a lost run had made is known again. */
export function resourcesAdopted(count: number): EventDraft {
  const message = `${count} cloud resource${count === 1 ? '' : 's'} that an interrupted run had made ${count === 1 ? 'was' : 'were'} adopted`;
  return { type: 'Normal', reason: 'ResourcesAdopted', message };
}

function countsOf({ add, change, remove }: ChangeSummary, to: '' | 'to '): string {
  const words = to === '' ? ['created', 'changed', 'destroyed'] : ['create', 'change', 'destroy'];
  return [add, change, remove].map((count, index) => `${count} ${to}${words[index]}`).join(', ');
}
