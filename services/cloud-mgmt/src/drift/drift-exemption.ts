import { isPaused } from '@crate/api';
import { settled, type Phase } from '@crate/reconcile';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { isPlanOpen } from '../plan/plan-gate.js';
import type { TerraformRun } from '../terraform-run/terraform-run.repository.js';
import { isUnbegun, lastChange } from '../terraform-run/unbegun-run.js';
import type { DriftRecordRepository } from './drift-record.repository.js';

/** Whether nobody is to compare it with the cloud now, because nothing is there in full or something else comes first. Pure. */
export function isExempt(scope: InfrastructureScope, runs: readonly TerraformRun[]): boolean {
  if (!isBuilt(scope, runs) || isPlanOpen(scope, 'apply') || isBeingChanged(scope, runs[0])) return true;
  return scope.drift?.correction !== undefined && !scope.isReleased;
}

/** Notes of what is being deleted that nobody is to compare it: however long that takes, nothing goes unnoticed there. */
export function exemptPhase(records: Pick<DriftRecordRepository, 'find' | 'save'>): Phase<InfrastructureScope> {
  return async ({ infrastructure }, { epoch }) => {
    const { uid } = infrastructure.metadata;
    const record = await records.find(uid);
    if (record && !record.isExempt) await records.save(uid, epoch, { ...record, isExempt: true });
    return settled;
  };
}

/** Whether what was applied last is there in full. Where only refusals are remembered, what was published before them is. */
function isBuilt({ infrastructure, stateSerial }: InfrastructureScope, runs: readonly TerraformRun[]): boolean {
  if (stateSerial === undefined || runs.length === 0) return false;
  const last = lastChange(runs);
  return last ? last.state === 'succeeded' : infrastructure.status?.outputs !== undefined;
}

/**
 * What is being changed is compared by the change itself, and what was approved, exactly: the plan names what it puts back. What waits for the
 * end of a pause may wait for weeks.
 */
function isBeingChanged({ isApplied, infrastructure }: InfrastructureScope, newest: TerraformRun | undefined): boolean {
  const { metadata, spec } = infrastructure;
  if (isApplied || spec.drift.policy === 'hold' || isPaused(infrastructure)) return false;
  const isRefused = newest !== undefined && isUnbegun(newest) && newest.generation === metadata.generation;
  return !isRefused;
}
