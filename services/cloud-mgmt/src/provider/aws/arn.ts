import type { OwnedResource } from '@crate/infra-aws';

/** Terraform's names of the types that EC2 calls so; their ids are the last part of the ARN. */
const EC2_TYPES: Readonly<Record<string, string>> = {
  'elastic-ip': 'aws_eip',
  instance: 'aws_instance',
  'internet-gateway': 'aws_internet_gateway',
  'key-pair': 'aws_key_pair',
  natgateway: 'aws_nat_gateway',
  'route-table': 'aws_route_table',
  'security-group': 'aws_security_group',
  // Of which direction, the ARN does not tell.
  'security-group-rule': 'aws_vpc_security_group_rule',
  subnet: 'aws_subnet',
  volume: 'aws_ebs_volume',
  vpc: 'aws_vpc',
};
/** Known to Terraform by the whole ARN. */
const LOAD_BALANCING_TYPES: Readonly<Record<string, string>> = {
  listener: 'aws_lb_listener',
  loadbalancer: 'aws_lb',
  targetgroup: 'aws_lb_target_group',
};

/**
 * Tells which resource of Terraform an ARN means. What has no counterpart keeps the name that AWS gives its type.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 */
export function readArn(arn: string): Omit<OwnedResource, 'tags'> {
  // arn:partition:service:region:account:type/id
  const [, , service = '', , , ...rest] = arn.split(':');
  const [kind = '', ...path] = rest.join(':').split('/');
  const id = path.join('/');
  const ec2 = service === 'ec2' ? EC2_TYPES[kind] : undefined;
  if (ec2 !== undefined) return { type: ec2, id, importId: id };
  // Those of the first generation are known by their name, and have no kind before it.
  if (service === 'elasticloadbalancing' && kind === 'loadbalancer' && path.length === 1) {
    return { type: 'aws_elb', id, importId: id };
  }
  const loadBalancing = service === 'elasticloadbalancing' ? LOAD_BALANCING_TYPES[kind] : undefined;
  return { type: loadBalancing ?? `${service}/${kind}`, id: arn, importId: arn };
}
