import { REGIONAL_TAGGED } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, newId } from '../identifiers.js';
import type { CloudContext, ResourceType } from '../resource-type.js';
import { fill, number, text } from '../values.js';
import { chosen, computed, defaulted, optional, required } from '../../terraform/schema.js';
import type { Values } from '../../terraform/value.js';

export const SECURITY_GROUP: ResourceType = {
  name: 'aws_security_group',
  service: 'EC2',
  label: 'Security Group',
  operations: {
    create: 'CreateSecurityGroup',
    read: 'DescribeSecurityGroups',
    update: 'ModifySecurityGroupRules',
    delete: 'DeleteSecurityGroup',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      description: defaulted('string', 'Managed by Terraform', { forceNew: true }),
      name: chosen('string', { forceNew: true }),
      owner_id: computed('string'),
      revoke_rules_on_delete: defaulted('bool', false),
      vpc_id: chosen('string', { forceNew: true }),
    },
  },
  references: [{ attribute: 'vpc_id', type: 'aws_vpc', onDelete: 'refuse' }],
  nameOf: (values) => text(values, 'name'),
  create: (values, context) => {
    const name = text(values, 'name');
    const vpcId = text(values, 'vpc_id');
    for (const { attributes } of context.list('aws_security_group')) {
      if (text(attributes, 'vpc_id') !== vpcId || text(attributes, 'name') !== name) continue;
      throw new AwsError('InvalidGroup.Duplicate', `The security group '${name}' already exists for VPC '${vpcId}'`);
    }
    const id = newId('sg');
    return fill(values, { id, arn: arn('ec2', context, `security-group/${id}`), owner_id: context.account });
  },
  missing: (id) => new AwsError('InvalidGroup.NotFound', `The security group '${id}' does not exist`),
  inUse: (id) => new AwsError('DependencyViolation', `resource ${id} has a dependent object`),
  limit: () => new AwsError('SecurityGroupLimitExceeded', 'The maximum number of security groups has been reached.'),
  validate: (config) =>
    text(config, 'name').startsWith('sg-') ? ['invalid value for name (cannot begin with sg-)'] : [],
};

/** What makes two rules of one group the same rule for AWS. */
const RULE_IDENTITY = [
  'security_group_id',
  'ip_protocol',
  'from_port',
  'to_port',
  'cidr_ipv4',
  'referenced_security_group_id',
];

export const INGRESS_RULE: ResourceType = ruleType('Ingress');
export const EGRESS_RULE: ResourceType = ruleType('Egress');

function ruleType(direction: 'Ingress' | 'Egress'): ResourceType {
  const name = `aws_vpc_security_group_${direction.toLowerCase()}_rule`;
  return {
    name,
    service: 'EC2',
    label: `VPC Security Group ${direction} Rule`,
    operations: {
      create: `AuthorizeSecurityGroup${direction}`,
      read: 'DescribeSecurityGroupRules',
      update: 'ModifySecurityGroupRules',
      delete: `RevokeSecurityGroup${direction}`,
    },
    block: {
      attributes: {
        ...REGIONAL_TAGGED,
        cidr_ipv4: optional('string'),
        description: optional('string'),
        from_port: optional('number'),
        ip_protocol: required('string'),
        referenced_security_group_id: optional('string'),
        security_group_id: required('string', { forceNew: true }),
        security_group_rule_id: computed('string'),
        to_port: optional('number'),
      },
    },
    references: [
      { attribute: 'security_group_id', type: 'aws_security_group', onDelete: 'cascade' },
      { attribute: 'referenced_security_group_id', type: 'aws_security_group', onDelete: 'refuse' },
    ],
    create: (values, context) => {
      refuseDuplicate(name, values, context);
      const id = newId('sgr');
      return fill(values, {
        id,
        security_group_rule_id: id,
        arn: arn('ec2', context, `security-group-rule/${id}`),
      });
    },
    missing: (id) =>
      new AwsError('InvalidSecurityGroupRuleId.NotFound', `The security group rule ID '${id}' does not exist`),
    limit: () =>
      new AwsError(
        'RulesPerSecurityGroupLimitExceeded',
        'The maximum number of rules per security group has been reached.',
      ),
    validate: (config) =>
      config['cidr_ipv4'] === null && config['referenced_security_group_id'] === null
        ? [
            'No attribute specified when one (and only one) of [cidr_ipv4,cidr_ipv6,prefix_list_id,referenced_security_group_id] is required',
          ]
        : [],
  };
}

function refuseDuplicate(type: string, values: Values, context: CloudContext): void {
  for (const { attributes } of context.list(type)) {
    if (!RULE_IDENTITY.every((name) => attributes[name] === values[name])) continue;
    const peer = text(values, 'cidr_ipv4') || text(values, 'referenced_security_group_id');
    throw new AwsError(
      'InvalidPermission.Duplicate',
      `the specified rule "peer: ${peer}, ${text(values, 'ip_protocol').toUpperCase()}, from port: ${number(values, 'from_port') ?? -1}, to port: ${number(values, 'to_port') ?? -1}, ALLOW" already exists`,
    );
  }
}
