import type { Infrastructure } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { planDenied, planReview } from './plan-review.js';
import { reviewedPlan } from './reviewed-plan.js';

const infrastructure = {
  kind: 'Infrastructure',
  metadata: { name: 'demo', namespace: 'team-a', labels: { stage: 'prod' } },
  spec: { clusterName: 'demo' },
} as unknown as Infrastructure;

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

describe('reviewedPlan', () => {
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

  it('keeps of the configuration which arguments are stated, and nothing of what with', () => {
    const secret = { expressions: { name: {}, password: { constant_value: 'hunter2' } } };
    const called = { resources: [{ address: 'a.b', mode: 'managed', ...secret }], variables: { v: 'hunter2' } };
    const root_module = { ...called, module_calls: { net: { expressions: { v: 'hunter2' }, module: called } } };
    const { configuration } = reviewedPlan({ ...plan, configuration: { provider_config: 'hunter2', root_module } });
    const resources = [{ address: 'a.b', expressions: { name: {}, password: {} } }];
    expect(configuration).toEqual({ root_module: { resources, module_calls: { net: { module: { resources } } } } });
  });
});

describe('planReview', () => {
  it('says which engine the cluster is made with, as its label does', () => {
    const labels = { 'lifecycle.crate.dev/engine': 'rke' };
    const { subject } = planReview(
      { ...infrastructure, metadata: { ...infrastructure.metadata, labels } },
      'aws',
      plan,
    );
    expect(subject).toMatchObject({ engine: 'rke', labels });
  });

  it('says whose plan it is, of which cluster, and at which provider', () => {
    const request = planReview(infrastructure, 'aws', plan);
    expect(request).toMatchObject({
      stage: 'TerraformPlan',
      document: { format_version: '1.2' },
      subject: { namespace: 'team-a', name: 'demo', cluster: 'demo', provider: 'aws', labels: { stage: 'prod' } },
    });
    for (const absent of ['operation', 'userInfo', 'dryRun', 'remember']) expect(request).not.toHaveProperty(absent);
  });

  it('is nobody’s when lifecycle works a Plan out', () => {
    const caller = { user: 'system:lifecycle', groups: [], service: 'lifecycle' };
    expect(planReview(infrastructure, 'aws', plan, { caller })).not.toHaveProperty('userInfo');
  });

  it('says what becomes of it, and who wants to know', () => {
    const caller = { user: 'ada', groups: ['team-a'] };
    expect(planReview(infrastructure, 'aws', plan, { operation: 'DELETE', caller, dryRun: true })).toMatchObject({
      operation: 'DELETE',
      userInfo: { username: 'ada', groups: ['team-a'] },
      dryRun: true,
    });
    expect(planReview(infrastructure, 'aws', plan, { remember: true }).remember).toBe(true);
  });
});

describe('planDenied', () => {
  it('is tried again now and then, because policies change', () => {
    expect(planDenied(infrastructure, [])).toMatchObject({
      code: 'Forbidden',
      retry: 'slow',
      details: { kind: 'Infrastructure', name: 'demo', reason: 'PolicyDenied' },
    });
  });
});
