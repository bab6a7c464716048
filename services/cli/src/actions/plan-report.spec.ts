import { PLAN, type Plan } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { consequencesReport, planReport } from './plan-report.js';

const COUNTS = { create: 1, update: 0, replace: 0, destroy: 0, import: 0, forget: 0 };

function aPlan(status: Record<string, unknown> = {}, reason = 'Ready'): Plan {
  const ready = { type: 'Ready', status: 'True', reason, message: '', lastTransitionTime: '2026-05-01T12:00:00Z' };
  const cost = {
    currency: 'USD',
    before: 100,
    after: 240.16,
    difference: 140.16,
    unknown: ['machine x9.huge in us-east-1'],
    text: '+140.16 USD/month and what is not known',
    pricesOf: '2026-11-21',
    source: 'here',
  };
  const consequences = {
    impact: 'none',
    fields: [{ field: 'spec.nodePools[name=workers].replicas', impact: 'none', before: 1, after: 2 }],
    terraform: {
      counts: COUNTS,
      resources: [{ address: 'aws_instance.w1', type: 'aws_instance', name: 'w1', action: 'create', changes: [] }],
      omittedChanges: 0,
    },
    nodes: [{ name: 'demo-workers-1', change: 'join' }],
    addOns: [{ name: 'docs', change: 'upgrade', from: '1.0.0', to: '1.1.0' }],
    policy: { plan: { allowed: true, violations: [{ policy: 'p', level: 'should', field: 'spec', message: 'm' }] } },
    quota: [
      { name: 'nodes', before: 1, after: 2, limit: 5 },
      { name: 'vcpu', before: 2, after: 2 },
    ],
    cost,
  };
  const body = PLAN.body.parse({
    spec: { clusterRef: { name: 'demo' }, changes: {} },
    status: { conditions: [ready], consequences, expiresAt: '2026-05-01T13:00:00Z', ...status },
  });
  return { kind: 'Plan', metadata: { name: 'grow', namespace: 'team-a' }, ...(body as object) } as Plan;
}

describe('planReport', () => {
  it('says what a plan leads to, and how to have it carried out', () => {
    expect(planReport(aPlan(), ' --context staging')).toBe(`Plan "grow" for cluster "demo": Ready

  + aws_instance.w1 (create)

Impact: none
spec.nodePools[name=workers].replicas: impact none
nodes that join: demo-workers-1
add-ons: upgrade docs from 1.0.0 to 1.1.0
quota: nodes 1 -> 2 of 5
cost: +140.16 USD/month and what is not known (100.00 -> 240.16 USD, list prices of 2026-11-21; not known: machine x9.huge in us-east-1)
Terraform: 1 to create, 0 to update, 0 to destroy

Policies:
  should p (spec): m

Have it carried out (until 2026-05-01T13:00:00Z): crate plan approve grow -n team-a --context staging
`);
  });

  it('shows nothing that a text in it writes over the terminal', () => {
    const end = { phase: 'Refused', reason: 'WorldMoved', message: 'It moved\u001b[2A', at: '2026-05-01T12:31:00Z' };
    expect(planReport(aPlan({ end }, 'Refused'), '')).toContain('\nIt moved\\u001b[2A\n');
  });

  it('says why a plan is not worked out yet, and what to do', () => {
    const failure = { code: 'X', message: 'policy-mgmt does not answer', remedy: 'Nothing to do', retryable: true };
    expect(planReport(aPlan({ failure, consequences: undefined }, 'Pending'), '')).toBe(
      'Plan "grow" for cluster "demo": Pending\npolicy-mgmt does not answer\nNothing to do\n',
    );
  });

  it('says how a plan ended, and what to do', () => {
    const report = planReport(
      aPlan(
        {
          approval: { by: 'ada', at: '2026-05-01T12:30:00Z' },
          end: { phase: 'Refused', reason: 'WorldMoved', message: 'The world has moved', at: '2026-05-01T12:31:00Z' },
          failure: { code: 'X', message: 'm', remedy: 'Make another plan', retryable: false },
        },
        'Refused',
      ),
      '',
    );
    expect(report).toMatch(
      /^Plan "grow" for cluster "demo": Refused\nApproved by ada at \S+\nThe world has moved\nMake another plan\n/,
    );
    expect(report).not.toContain('Have it carried out');
  });

  it('has nothing to show of a plan that is being worked out', () => {
    expect(planReport(aPlan({ consequences: undefined }, 'Pending'), '')).toBe(
      'Plan "grow" for cluster "demo": Pending\n',
    );
  });
});

function endOf(phase: string, message: string): object {
  return { phase, reason: phase, message, at: '2026-05-01T12:00:00Z' };
}

describe('consequencesReport', () => {
  it('has what it leads to, and leaves the end and the way on to whoever asks', () => {
    const text = consequencesReport(aPlan({ end: endOf('Expired', 'It went stale') }, 'Expired'));
    expect(text).toMatch(/^ {2}\+ aws_instance\.w1[^]*Impact: none[^]*Policies:/);
    expect(text).not.toMatch(/went stale|crate plan approve/);
  });

  it('is nothing where that is not known', () => {
    const end = endOf('Refused', 'That version is not supported');
    expect(consequencesReport(aPlan({ consequences: undefined, end }, 'Refused'))).toBe('');
  });
});
