/**
 * Types in the order in which they can be removed: nothing is in use any more by what comes before it. What is not listed here is never
 * removed. Registrations of targets go with the group and the machine.
 */
const STEPS: readonly (readonly string[])[] = [
  ['aws_lb_listener', 'aws_instance', 'aws_iam_role_policy', 'aws_route', 'aws_route_table_association'],
  [
    'aws_lb',
    'aws_elb',
    'aws_nat_gateway',
    'aws_iam_instance_profile',
    'aws_vpc_security_group_ingress_rule',
    'aws_vpc_security_group_egress_rule',
    'aws_ebs_volume',
  ],
  ['aws_lb_target_group', 'aws_eip', 'aws_iam_role', 'aws_key_pair', 'aws_route_table', 'aws_security_group'],
  ['aws_subnet', 'aws_internet_gateway'],
  ['aws_vpc'],
];

/** Whether Crate knows how to remove what has no owner, by its type. */
export function isRemovable(type: string): boolean {
  return STEPS.some((types) => types.includes(type));
}

/** The resources in steps: those of a step can be removed once those of the steps before it are gone. Pure. */
export function inRemovalOrder<T extends { readonly type: string }>(
  resources: readonly T[],
): readonly (readonly T[])[] {
  return STEPS.map((types) => resources.filter(({ type }) => types.includes(type))).filter((step) => step.length > 0);
}
