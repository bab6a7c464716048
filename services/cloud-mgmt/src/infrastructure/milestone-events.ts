import type { Infrastructure } from '@crate/api';
import { SilentEventRecorder, type EventRecorder } from '@crate/reconcile';
import type { TerraformMilestone, TerraformTask } from '../terraform-run/terraform-executor.js';
import type { TerraformRunKind } from '../terraform-run/terraform-run.repository.js';
import { resourcesAdopted, terraformApplied, terraformPlanned } from './infrastructure.events.js';

/** Tells people what a run of Terraform came to. */
export function tellingMilestones(
  infrastructure: Infrastructure,
  kind: TerraformRunKind,
  {
    events = new SilentEventRecorder(),
    traceId,
  }: { readonly events?: EventRecorder | undefined; readonly traceId: string },
): NonNullable<TerraformTask['onMilestone']> {
  return (milestone) => events.record(infrastructure, { ...draftOf(kind, milestone), traceId });
}

function draftOf(kind: TerraformRunKind, milestone: TerraformMilestone): ReturnType<typeof terraformPlanned> {
  switch (milestone.kind) {
    case 'planned':
      return terraformPlanned(milestone.changes);
    case 'applied':
      return terraformApplied(kind, milestone.changes);
    case 'adopted':
      return resourcesAdopted(milestone.count);
  }
}
