import { describe, expect, it } from '@jest/globals';
import { runPlanSchema, type RunPlan } from './plan.js';
import { planText } from './plan-text.js';

const PLAN: RunPlan = {
  apiVersion: 'cloud.crate.dev/v1alpha1',
  kind: 'RunPlan',
  metadata: { name: 'demo', namespace: 'team-a', creationTimestamp: '2026-11-21T10:00:00Z' },
  of: { kind: 'Infrastructure', name: 'demo' },
  generation: 2,
  isCurrent: true,
  run: { id: 'r', purpose: 'apply', startedAt: '2026-11-21T10:00:00Z', endedAt: '2026-11-21T10:01:00Z' },
  outcome: 'Applied',
  counts: { create: 1, update: 1, replace: 0, destroy: 1, import: 0, forget: 0 },
  review: {
    allowed: true,
    violations: [{ policy: 'tags', level: 'should', field: 'tags', message: 'Tag is missing', remedy: 'Add it' }],
  },
  resources: [
    {
      address: 'aws_instance.a',
      type: 'aws_instance',
      name: 'a',
      action: 'create',
      changes: [
        { path: 'ami', after: 'ami-1' },
        { path: 'id', isUnknown: true },
        { path: 'password', after: '(sensitive value)', isSensitive: true },
      ],
    },
    {
      address: 'aws_instance.b',
      type: 'aws_instance',
      name: 'b',
      action: 'update',
      changes: [{ path: 'tags.team', before: 'a', after: 'b', forcesReplacement: true }],
    },
    {
      address: 'aws_instance.c',
      type: 'aws_instance',
      name: 'c',
      action: 'destroy',
      changes: [
        { path: 'ami', before: 'x' },
        { path: 'id', before: 'i-1' },
      ],
    },
  ],
  omittedChanges: 3,
};

describe('planText', () => {
  it('is read at a terminal', () => {
    expect(planText(PLAN)).toBe(`Infrastructure "demo", generation 2
Apply, begun 2026-11-21T10:00:00Z, ended 2026-11-21T10:01:00Z: applied
Policies allow it:
  should tags (tags): Tag is missing. Add it

  + aws_instance.a (create)
      ami       "ami-1"
      id        (known after apply)
      password  (sensitive value)

  ~ aws_instance.b (update)
      tags.team  "a" -> "b"  # forces replacement

  - aws_instance.c (destroy)
      id  "i-1"

Plan: 1 to create, 1 to update, 1 to destroy
The plan is too large: attributes of 3 resources are left out
`);
  });

  it('says so when there is nothing to do, and when it is about an earlier spec', () => {
    const { review: _, ...rest } = PLAN;
    expect(planText({ ...rest, outcome: 'NoChanges', resources: [], isCurrent: false, omittedChanges: 0 })).toBe(
      `Infrastructure "demo", generation 2 (a later spec was asked for since)
Apply, begun 2026-11-21T10:00:00Z, ended 2026-11-21T10:01:00Z: no changes: everything is as asked for
`,
    );
  });

  it('cuts values that nobody reads at a terminal', () => {
    const long = {
      ...PLAN.resources[0],
      changes: [{ path: 'user_data', after: 'x'.repeat(1000) }],
    } as RunPlan['resources'][0];
    expect(planText({ ...PLAN, resources: [long] })).toContain(`${'x'.repeat(198)}…\n`);
  });

  it('reads what the schema allows', () => {
    expect(runPlanSchema.parse(PLAN)).toEqual(PLAN);
  });
});
