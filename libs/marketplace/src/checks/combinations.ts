import type { Chosen } from './rendered.js';

/** What decides about each condition: both answers. */
const CHOICES: readonly (readonly Chosen[])[] = [
  [{}, { VpcId: 'vpc-0123456789abcdef0', SubnetId: 'subnet-0123456789abcdef0' }],
  [{}, { SubnetZoneId: 'use1-az4' }],
  [{}, { BoundaryArn: 'arn:aws:iam::123456789012:policy/of-the-organisation' }],
  [{}, { KmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef' }],
  [{}, { SessionManager: 'on' }],
  [{}, { ProductCode: 'abc123' }],
  [{}, { DeletionGuard: 'off' }],
];

/** Parameters for every combination of the template's conditions. */
export function combinations(): readonly Chosen[] {
  return CHOICES.reduce<readonly Chosen[]>(
    (all, choices) => all.flatMap((chosen) => choices.map((choice) => ({ ...chosen, ...choice }))),
    [{}],
  );
}
