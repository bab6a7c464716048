import type { CloudAccount, Infrastructure } from '@crate/api';
import { typesOf } from '@crate/infra-aws';
import { describe, expect, it } from '@jest/globals';
import { AwsInfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import { aSpec } from '../testing/a-spec.js';
import { inRemovalOrder, isRemovable } from './removal-order.js';

/** Goes with its group and its machine. */
const PART = 'aws_lb_target_group_attachment';

describe('removal order', () => {
  it('has every type that the stack makes', () => {
    const stack = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
    const infrastructure = { metadata: { name: 'demo', uid: 'u1' }, spec: aSpec('demo') } as Infrastructure;
    const { document } = stack.synthesize(infrastructure, { spec: { accountId: '111122223333' } } as CloudAccount);

    expect([...typesOf(document)].filter((type) => !isRemovable(type))).toEqual([PART]);
  });

  it('gives what others use after those', () => {
    const types = [
      'aws_vpc',
      'aws_iam_role',
      'aws_subnet',
      'aws_instance',
      'aws_iam_role_policy',
      'aws_nat_gateway',
      'aws_eip',
    ];
    const steps = inRemovalOrder(types.map((type) => ({ type }))).map((step) => step.map(({ type }) => type));

    expect(steps).toEqual([
      ['aws_instance', 'aws_iam_role_policy'],
      ['aws_nat_gateway'],
      ['aws_iam_role', 'aws_eip'],
      ['aws_subnet'],
      ['aws_vpc'],
    ]);
  });

  it('knows nothing of other types', () => {
    expect(inRemovalOrder([{ type: 'rds/db' }])).toEqual([]);
  });
});
