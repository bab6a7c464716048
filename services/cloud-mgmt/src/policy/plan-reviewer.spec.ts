import type { Infrastructure, PolicyReviewResponse } from '@crate/api';
import { ServiceCaller } from '@crate/messaging';
import { describe, expect, it } from '@jest/globals';
import { aContext } from '../testing/in-memory-cloud.js';
import { policyDenied, ServicePlanReviewer } from './plan-reviewer.js';
import { reviewedPlan } from './reviewed-plan.js';

const infrastructure = { kind: 'Infrastructure', metadata: { name: 'demo', namespace: 'team-a' } } as Infrastructure;

class RecordingCaller extends ServiceCaller {
  readonly calls: unknown[][] = [];

  async call<T>(...call: unknown[]): Promise<T> {
    this.calls.push(call);
    const answer: PolicyReviewResponse = { allowed: true, violations: [] };
    return Promise.resolve(answer as T);
  }
}

describe('reviewedPlan', () => {
  const created = {
    address: 'a',
    change: { actions: ['create'], before: null, after: { x: 1 }, after_unknown: { id: true } },
  };
  const removed = { address: 'b', change: { actions: ['delete'], before: { x: 1 }, after: null } };
  const kept = { address: 'c', change: { actions: ['no-op'], before: { x: 1 }, after: { x: 1 }, after_sensitive: {} } };
  const plan = {
    format_version: '1.2',
    terraform_version: '1.11.4',
    planned_values: { large: true },
    configuration: { large: true },
    resource_changes: [created, removed, kept],
  };

  it('keeps what rules look at', () => {
    expect(reviewedPlan(plan)).toEqual({
      format_version: '1.2',
      terraform_version: '1.11.4',
      resource_changes: [
        { address: 'a', change: { actions: ['create'], after: { x: 1 }, after_unknown: { id: true } } },
        removed,
        { address: 'c', change: { actions: ['no-op'], after: { x: 1 } } },
      ],
    });
  });
});

describe('ServicePlanReviewer', () => {
  it('asks policy-mgmt in the name of the service, under the trace of the pass', async () => {
    const caller = new RecordingCaller();
    const verdict = await new ServicePlanReviewer(caller).review(infrastructure, 'aws', {}, aContext());

    expect(verdict.allowed).toBe(true);
    expect(caller.calls[0]).toMatchObject([
      'policy-mgmt',
      'review',
      { stage: 'TerraformPlan', subject: { namespace: 'team-a', name: 'demo', provider: 'aws' } },
      { caller: { service: 'cloud-mgmt' }, traceId: 'trace-1' },
      15_000,
    ]);
  });
});

describe('policyDenied', () => {
  const rule = { title: '', references: [], message: 'M', remedy: 'R' };

  it('names rule, level, field and remedy of what must hold, and nothing else', () => {
    const error = policyDenied(infrastructure, [
      { ...rule, policy: 'p1', level: 'must', field: 'spec.a' },
      { ...rule, policy: 'p2', level: 'should', field: 'spec.b' },
    ]);

    expect(error).toMatchObject({
      code: 'Forbidden',
      details: {
        reason: 'PolicyDenied',
        field: 'spec.a',
        remedy: 'R',
        causes: [{ field: 'spec.a', message: 'M (policy p1, level must): R' }],
      },
    });
    expect(error.message).not.toContain('p2');
  });
});
