import { describe, expect, it } from '@jest/globals';
import { plannedChanges } from '@crate/terraform';
import { unaskedSteps, unnoticedSteps, type DriftedPlace } from './unasked-steps.js';

type Json = Readonly<Record<string, unknown>>;

function step(type: string, actions: readonly string[], after: Json = {}, unknown: Json = {}): Json {
  const before = Object.fromEntries(Object.keys({ ...after, ...unknown }).map((key) => [key, 'before']));
  const change = { actions, before, after, after_unknown: unknown };
  return { address: `${type}.a`, type, name: 'a', mode: 'managed', change };
}

const drifted = (type: string, ...paths: string[]): DriftedPlace => ({
  ...{ address: `${type}.a`, kind: 'changed' },
  attributes: paths.map((path) => ({ path })),
});

describe('unaskedSteps', () => {
  it.each([
    { name: 'nothing is to be done', steps: [], want: undefined },
    { name: 'nothing notices it', steps: [step('aws_iam_role_policy', ['delete'])], want: undefined },
    {
      name: 'something is changed, and something made anew',
      steps: [
        step('aws_iam_role_policy', ['delete']),
        step('aws_vpc', ['update'], { name: 'b' }),
        step('aws_lb', ['delete', 'create'], { name: 'b' }),
      ],
      want: 'replace aws_lb.a (replace), update aws_vpc.a (restart)',
    },
    { name: 'nobody understands it', steps: [step('aws_vpc', ['melt'])], want: 'steps whose impact cannot be told' },
    {
      name: 'all of it is put back, with what follows from that',
      steps: [step('aws_vpc', ['update'], { name: 'b' }, { arn: true })],
      differs: [drifted('aws_vpc', 'name')],
      want: undefined,
    },
    {
      name: 'not all of it is put back',
      steps: [step('aws_vpc', ['update'], { name: 'b', mode: 'c' })],
      differs: [drifted('aws_vpc', 'name')],
      want: 'update aws_vpc.a (restart)',
    },
    {
      name: 'something else is put back',
      steps: [step('aws_vpc', ['update'], { name: 'b' })],
      differs: [drifted('aws_lb', 'name')],
      want: 'update aws_vpc.a (restart)',
    },
    {
      name: 'something that differs is made anew, for whichever reason',
      steps: [step('aws_vpc', ['delete', 'create'], { name: 'b' })],
      differs: [drifted('aws_vpc', 'name')],
      want: 'replace aws_vpc.a (replace)',
    },
  ])('says what nobody asked for when $name', ({ steps, differs = [], want }) => {
    expect(unaskedSteps({ resource_changes: steps }, differs)).toBe(want);
  });
});

describe('unnoticedSteps', () => {
  const tag = step('aws_vpc', ['update'], { tags: 'b' });
  const unnoticed = (plan: Json): string[] => [...unnoticedSteps(plan, plannedChanges(plan).resources)];

  it('has no impact, and puts nothing back', () => {
    const steps = [tag, step('aws_lb', ['update'], { name: 'b' }), step('aws_iam_role_policy', ['delete'])];
    expect(unnoticed({ resource_changes: steps })).toEqual(['aws_vpc.a', 'aws_iam_role_policy.a']);
    const { change } = tag as { change: { before: unknown; after: unknown } };
    const seen = { ...tag, change: { ...change, before: change.after, after: change.before } };
    expect(unnoticed({ resource_changes: steps, resource_drift: [seen] })).toEqual(['aws_iam_role_policy.a']);
  });

  it('is nothing where not all is understood', () => {
    expect(unnoticed({ resource_changes: [tag, step('aws_lb', ['melt'])] })).toEqual([]);
  });
});
