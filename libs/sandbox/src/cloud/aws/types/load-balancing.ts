import { REGIONAL, REGIONAL_TAGGED } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, hex } from '../identifiers.js';
import type { CloudContext, ResourceType } from '../resource-type.js';
import { fill, number, objects, text, texts } from '../values.js';
import { chosen, computed, defaulted, optional, required, type Block } from '../../terraform/schema.js';
import type { Values } from '../../terraform/value.js';

const NAME_LENGTH = 32;
const ELB = 'Elastic Load Balancing v2';

const HEALTH_CHECK: Block = {
  attributes: {
    enabled: defaulted('bool', true),
    healthy_threshold: defaulted('number', 3),
    interval: defaulted('number', 30),
    matcher: chosen('string'),
    path: chosen('string'),
    port: defaulted('string', 'traffic-port'),
    protocol: defaulted('string', 'HTTP'),
    timeout: chosen('number'),
    unhealthy_threshold: defaulted('number', 3),
  },
};

const ACTION: Block = {
  attributes: {
    order: chosen('number'),
    target_group_arn: optional('string'),
    type: required('string'),
  },
};

export const LOAD_BALANCER: ResourceType = {
  name: 'aws_lb',
  service: ELB,
  label: 'ELBv2 Load Balancer',
  operations: {
    create: 'CreateLoadBalancer',
    read: 'DescribeLoadBalancers',
    update: 'ModifyLoadBalancerAttributes',
    delete: 'DeleteLoadBalancer',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      arn_suffix: computed('string'),
      dns_name: computed('string'),
      enable_cross_zone_load_balancing: defaulted('bool', false),
      enable_deletion_protection: defaulted('bool', false),
      internal: chosen('bool', { forceNew: true }),
      ip_address_type: chosen('string'),
      load_balancer_type: defaulted('string', 'application', { forceNew: true }),
      name: chosen('string', { forceNew: true }),
      security_groups: chosen(['set', 'string']),
      subnets: chosen(['set', 'string']),
      vpc_id: computed('string'),
      zone_id: computed('string'),
    },
  },
  references: [
    { attribute: 'subnets', type: 'aws_subnet', onDelete: 'refuse' },
    { attribute: 'security_groups', type: 'aws_security_group', onDelete: 'refuse' },
  ],
  nameOf: (values) => text(values, 'name'),
  create: (values, context) => {
    const name = text(values, 'name');
    refuseNameTaken('aws_lb', `ELBv2 Load Balancer (${name}) already exists`, name, context);
    const suffix = `${text(values, 'load_balancer_type') === 'network' ? 'net' : 'app'}/${name}/${hex(16)}`;
    const balancerArn = arn('elasticloadbalancing', context, `loadbalancer/${suffix}`);
    const subnet = context.find('aws_subnet', texts(values, 'subnets')[0] ?? '');
    return fill(values, {
      id: balancerArn,
      arn: balancerArn,
      arn_suffix: suffix,
      dns_name: context.nextLoopbackAddress(),
      internal: false,
      ip_address_type: 'ipv4',
      security_groups: [],
      vpc_id: subnet ? text(subnet.attributes, 'vpc_id') : '',
      zone_id: 'Z26RNL4JYFTOTI',
    });
  },
  missing: (id) => new AwsError('LoadBalancerNotFound', `Load balancer '${id}' not found`),
  limit: () => new AwsError('TooManyLoadBalancers', 'The maximum number of load balancers has been reached.'),
  validate: checkName,
};

export const TARGET_GROUP: ResourceType = {
  name: 'aws_lb_target_group',
  service: ELB,
  label: 'ELBv2 Target Group',
  operations: {
    create: 'CreateTargetGroup',
    read: 'DescribeTargetGroups',
    update: 'ModifyTargetGroupAttributes',
    delete: 'DeleteTargetGroup',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      arn_suffix: computed('string'),
      deregistration_delay: defaulted('string', '300'),
      ip_address_type: chosen('string', { forceNew: true }),
      name: chosen('string', { forceNew: true }),
      port: optional('number', { forceNew: true }),
      preserve_client_ip: chosen('string'),
      protocol: optional('string', { forceNew: true }),
      proxy_protocol_v2: defaulted('bool', false),
      target_type: defaulted('string', 'instance', { forceNew: true }),
      vpc_id: optional('string', { forceNew: true }),
    },
    blocks: { health_check: { nesting: 'list', maxItems: 1, block: HEALTH_CHECK } },
  },
  references: [{ attribute: 'vpc_id', type: 'aws_vpc', onDelete: 'ignore' }],
  nameOf: (values) => text(values, 'name'),
  create: (values, context) => {
    const name = text(values, 'name');
    refuseNameTaken('aws_lb_target_group', `ELBv2 Target Group (${name}) already exists`, name, context);
    const suffix = `targetgroup/${name}/${hex(16)}`;
    const groupArn = arn('elasticloadbalancing', context, suffix);
    const [check = {}] = objects(values, 'health_check');
    return {
      ...fill(values, {
        id: groupArn,
        arn: groupArn,
        arn_suffix: suffix,
        ip_address_type: 'ipv4',
        preserve_client_ip: 'true',
      }),
      health_check: [fill(check, { matcher: '', path: '', timeout: 10 })],
    };
  },
  missing: (id) => new AwsError('TargetGroupNotFound', `Target groups '${id}' not found`),
  inUse: (id) => new AwsError('ResourceInUse', `Target group '${id}' is currently in use by a listener or a rule`),
  limit: () => new AwsError('TooManyTargetGroups', 'The maximum number of target groups has been reached.'),
  validate: checkName,
};

export const LISTENER: ResourceType = {
  name: 'aws_lb_listener',
  service: ELB,
  label: 'ELBv2 Listener',
  operations: {
    create: 'CreateListener',
    read: 'DescribeListeners',
    update: 'ModifyListener',
    delete: 'DeleteListener',
  },
  block: {
    attributes: {
      ...REGIONAL_TAGGED,
      load_balancer_arn: required('string', { forceNew: true }),
      port: optional('number'),
      protocol: chosen('string'),
    },
    blocks: { default_action: { nesting: 'list', block: ACTION } },
  },
  references: [
    { attribute: 'load_balancer_arn', type: 'aws_lb', onDelete: 'cascade' },
    { attribute: 'default_action.target_group_arn', type: 'aws_lb_target_group', onDelete: 'refuse' },
  ],
  create: (values, context) => {
    refuseSamePort(values, context);
    const balancer = text(values, 'load_balancer_arn');
    const listenerArn = `${balancer.replace(':loadbalancer/', ':listener/')}/${hex(16)}`;
    return {
      ...fill(values, { id: listenerArn, arn: listenerArn, protocol: 'TCP' }),
      default_action: objects(values, 'default_action').map((action, index) => fill(action, { order: index + 1 })),
    };
  },
  missing: (id) => new AwsError('ListenerNotFound', `Listener '${id}' not found`),
  limit: () => new AwsError('TooManyListeners', 'The maximum number of listeners has been reached.'),
};

export const TARGET_GROUP_ATTACHMENT: ResourceType = {
  name: 'aws_lb_target_group_attachment',
  service: ELB,
  label: 'ELBv2 Target Group Attachment',
  operations: {
    create: 'RegisterTargets',
    read: 'DescribeTargetHealth',
    update: 'RegisterTargets',
    delete: 'DeregisterTargets',
  },
  block: {
    attributes: {
      ...REGIONAL,
      availability_zone: optional('string', { forceNew: true }),
      port: optional('number', { forceNew: true }),
      target_group_arn: required('string', { forceNew: true }),
      target_id: required('string', { forceNew: true }),
    },
  },
  references: [
    { attribute: 'target_group_arn', type: 'aws_lb_target_group', onDelete: 'cascade' },
    { attribute: 'target_id', type: 'aws_instance', onDelete: 'cascade' },
  ],
  create: (values) => fill(values, { id: attachmentId(values) }),
  missing: (id) => new AwsError('TargetNotFound', `Target '${id}' is not registered`),
};

// Registering a target twice is one registration, so its id follows from what it says.
function attachmentId(values: Values): string {
  return [text(values, 'target_group_arn'), text(values, 'target_id'), number(values, 'port') ?? 0].join(',');
}

function refuseNameTaken(type: string, message: string, name: string, context: CloudContext): void {
  for (const { attributes } of context.list(type)) {
    if (text(attributes, 'name') !== name) continue;
    throw new AwsError(type === 'aws_lb' ? 'DuplicateLoadBalancerName' : 'DuplicateTargetGroupName', message);
  }
}

function refuseSamePort(values: Values, context: CloudContext): void {
  for (const { attributes } of context.list('aws_lb_listener')) {
    const isSameBalancer = text(attributes, 'load_balancer_arn') === text(values, 'load_balancer_arn');
    if (!isSameBalancer || attributes['port'] !== values['port']) continue;
    throw new AwsError('DuplicateListener', `A listener already exists on this port for this load balancer`);
  }
}

function checkName(config: Values): string[] {
  const name = text(config, 'name');
  if (name.length > NAME_LENGTH) return [`"name" cannot be longer than ${NAME_LENGTH} characters: "${name}"`];
  if (!/^[0-9A-Za-z-]*$/.test(name)) return [`only alphanumeric characters and hyphens allowed in "name": "${name}"`];
  return name.endsWith('-') ? [`"name" cannot end with a hyphen: "${name}"`] : [];
}
