import type { PlanPreview, PlanPreviewRequest } from '@crate/api';
import type { CallContext } from '@crate/resource-client';
import { CloudPlanner } from '../plan/cloud-planner.js';

/** A cloud whose plan is the machines that are asked for, and `world`, which tests move. */
export class ScriptedPlanner extends CloudPlanner {
  readonly requests: PlanPreviewRequest[] = [];
  world = 'as it is';
  error: Error | undefined;
  answer: Partial<PlanPreview> = {};

  preview(request: PlanPreviewRequest, { signal }: CallContext): Promise<PlanPreview> {
    this.requests.push(request);
    if (this.error) return Promise.reject(this.error);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return Promise.resolve({
      digest: JSON.stringify([request.spec.machineGroups, request.destroy ?? false, this.world]),
      account: 'aws/111111111111',
      counts: { create: 1, update: 0, replace: 0, destroy: 0, import: 0, forget: 0 },
      resources: [],
      omittedChanges: 0,
      impact: { impact: 'none', address: '' },
      review: { allowed: true, violations: [] },
      ...this.answer,
    });
  }
}
