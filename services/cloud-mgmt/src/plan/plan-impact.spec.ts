import { describe, expect, it } from '@jest/globals';
import type { ResourceChange } from '@crate/terraform';
import { impactOf, planImpact, stopsMachines } from './plan-impact.js';

function aChange(type: string, action: ResourceChange['action'], ...paths: string[]): ResourceChange {
  return { address: `${type}.a`, type, name: 'a', action, changes: paths.map((path) => ({ path })) };
}

describe('impactOf', () => {
  const rows: readonly { name: string; given: ResourceChange; want: string }[] = [
    { name: 'none for what is new', given: aChange('aws_instance', 'create'), want: 'none' },
    { name: 'roll for a machine that goes', given: aChange('aws_instance', 'destroy'), want: 'roll' },
    { name: 'replace for a machine made anew', given: aChange('aws_instance', 'replace'), want: 'replace' },
    { name: 'none for a key pair made anew', given: aChange('aws_key_pair', 'replace', 'public_key'), want: 'none' },
    { name: 'replace for any other thing that goes', given: aChange('aws_vpc', 'destroy'), want: 'replace' },
    {
      name: 'none for what ties a machine to a balancer and goes with it',
      given: aChange('aws_lb_target_group_attachment', 'destroy'),
      want: 'none',
    },
    {
      name: 'none for rights of a role that go',
      given: aChange('aws_iam_role_policy', 'destroy'),
      want: 'none',
    },
    {
      name: 'none for rights of a role that are others',
      given: aChange('aws_iam_role_policy', 'update', 'policy'),
      want: 'none',
    },
    {
      name: 'restart for a machine that is stopped to be changed',
      given: aChange('aws_instance', 'update', 'instance_type', 'tags.Name'),
      want: 'restart',
    },
    { name: 'none for tags', given: aChange('aws_vpc', 'update', 'tags.Name', 'tags_all'), want: 'none' },
    { name: 'none for a larger disk', given: aChange('aws_instance', 'update', 'root_block_device'), want: 'none' },
    { name: 'restart for another change in place', given: aChange('aws_lb', 'update', 'subnets'), want: 'restart' },
  ];
  it.each(rows)('is $name', ({ given, want }) => {
    expect(impactOf(given)).toBe(want);
  });
});

describe('stopsMachines', () => {
  const resized = aChange('aws_instance', 'update', 'instance_type');

  it.each([
    {
      name: 'two machines get another type',
      given: [resized, aChange('aws_vpc', 'update', 'tags'), resized],
      want: true,
    },
    { name: 'one does', given: [resized, aChange('aws_instance', 'update', 'root_block_device')], want: false },
    {
      name: 'machines come',
      given: [aChange('aws_instance', 'create'), aChange('aws_instance', 'create')],
      want: false,
    },
  ])('is $want when $name', ({ given, want }) => {
    expect(stopsMachines(given)).toBe(want);
  });
});

describe('planImpact', () => {
  const document = { resource_changes: [{ change: { actions: ['delete', 'create'] } }] };

  it('names what has the highest impact', () => {
    const resources = [aChange('aws_eip', 'create'), aChange('aws_instance', 'replace'), aChange('aws_lb', 'update')];
    expect(planImpact(document, resources)).toEqual({ address: 'aws_instance.a', impact: 'replace' });
    expect(planImpact({ resource_changes: [] }, [])).toEqual({ address: '', impact: 'none' });
  });

  it('cannot tell that of an action it does not know', () => {
    expect(planImpact({ resource_changes: [{ change: { actions: ['melt'] } }] }, [])).toBeUndefined();
    expect(planImpact({ resource_changes: 'many' }, [])).toBeUndefined();
  });
});
