import { TAGS } from '../attributes.js';
import { AwsError } from '../aws-error.js';
import { arn, iamUniqueId } from '../identifiers.js';
import type { CloudContext, ResourceType } from '../resource-type.js';
import { fill, text } from '../values.js';
import { chosen, computed, defaulted, optional, required } from '../../terraform/schema.js';
import type { Values } from '../../terraform/value.js';

const NOT_FOUND = 404;
const CONFLICT = 409;
const NAME_LENGTH = 64;

export const ROLE: ResourceType = {
  name: 'aws_iam_role',
  service: 'IAM',
  label: 'IAM Role',
  operations: { create: 'CreateRole', read: 'GetRole', update: 'UpdateRole', delete: 'DeleteRole' },
  block: {
    attributes: {
      ...TAGS,
      arn: computed('string'),
      assume_role_policy: required('string'),
      create_date: computed('string'),
      description: optional('string'),
      force_detach_policies: defaulted('bool', false),
      id: computed('string'),
      max_session_duration: defaulted('number', 3600),
      name: chosen('string', { forceNew: true }),
      path: defaulted('string', '/', { forceNew: true }),
      permissions_boundary: optional('string'),
      unique_id: computed('string'),
    },
  },
  nameOf: (values) => text(values, 'name'),
  create: (values, context) => {
    const name = ownName(values, context, { type: 'aws_iam_role', kind: 'Role' });
    return fill(values, {
      id: name,
      arn: arn('iam', context, `role${pathOf(values)}${name}`),
      create_date: seconds(context.now()),
      unique_id: iamUniqueId('AROA'),
    });
  },
  missing: (id) => new AwsError('NoSuchEntity', `The role with name ${id} cannot be found.`, NOT_FOUND),
  inUse: (_id, dependent) => {
    const first = dependent === 'aws_iam_role_policy' ? 'delete policies' : 'remove roles from instance profile';
    return new AwsError('DeleteConflict', `Cannot delete entity, must ${first} first.`, CONFLICT);
  },
  limit: (limit) => new AwsError('LimitExceeded', `Cannot exceed quota for RolesPerAccount: ${limit}`, CONFLICT),
  validate: (config) => [...checkName(config), ...checkPolicy(config, 'assume_role_policy')],
};

export const ROLE_POLICY: ResourceType = {
  name: 'aws_iam_role_policy',
  service: 'IAM',
  label: 'IAM Role Policy',
  operations: {
    create: 'PutRolePolicy',
    read: 'GetRolePolicy',
    update: 'PutRolePolicy',
    delete: 'DeleteRolePolicy',
  },
  block: {
    attributes: {
      id: computed('string'),
      name: chosen('string', { forceNew: true }),
      policy: required('string'),
      role: required('string', { forceNew: true }),
    },
  },
  references: [{ attribute: 'role', type: 'aws_iam_role', onDelete: 'refuse' }],
  nameOf: (values) => `${text(values, 'role')}:${text(values, 'name')}`,
  create: (values) => fill(values, { id: `${text(values, 'role')}:${text(values, 'name')}` }),
  missing: (id) =>
    new AwsError('NoSuchEntity', `The role policy with name ${id.split(':')[1]} cannot be found.`, NOT_FOUND),
  validate: (config) => checkPolicy(config, 'policy'),
};

export const INSTANCE_PROFILE: ResourceType = {
  name: 'aws_iam_instance_profile',
  service: 'IAM',
  label: 'IAM Instance Profile',
  operations: {
    create: 'CreateInstanceProfile',
    read: 'GetInstanceProfile',
    update: 'AddRoleToInstanceProfile',
    delete: 'DeleteInstanceProfile',
  },
  block: {
    attributes: {
      ...TAGS,
      arn: computed('string'),
      create_date: computed('string'),
      id: computed('string'),
      name: chosen('string', { forceNew: true }),
      path: defaulted('string', '/', { forceNew: true }),
      role: optional('string'),
      unique_id: computed('string'),
    },
  },
  references: [{ attribute: 'role', type: 'aws_iam_role', onDelete: 'refuse' }],
  nameOf: (values) => text(values, 'name'),
  create: (values, context) => {
    const name = ownName(values, context, { type: 'aws_iam_instance_profile', kind: 'Instance Profile' });
    return fill(values, {
      id: name,
      arn: arn('iam', context, `instance-profile${pathOf(values)}${name}`),
      create_date: seconds(context.now()),
      unique_id: iamUniqueId('AIPA'),
    });
  },
  missing: (id) => new AwsError('NoSuchEntity', `Instance Profile ${id} cannot be found.`, NOT_FOUND),
  limit: (limit) =>
    new AwsError('LimitExceeded', `Cannot exceed quota for InstanceProfilesPerAccount: ${limit}`, CONFLICT),
  validate: checkName,
};

function ownName(values: Values, context: CloudContext, of: { type: string; kind: string }): string {
  const name = text(values, 'name') || `terraform-${Date.now()}`;
  if (!context.find(of.type, name)) return name;
  throw new AwsError('EntityAlreadyExists', `${of.kind} with name ${name} already exists.`, CONFLICT);
}

/** With a slash at both ends. */
function pathOf(values: Values): string {
  return text(values, 'path') || '/';
}

function checkName(config: Values): string[] {
  const name = text(config, 'name');
  const problems = [];
  if (name.length > NAME_LENGTH) {
    problems.push(`expected length of name to be in the range (0 - ${NAME_LENGTH}), got ${name}`);
  }
  if (!/^[\w+=,.@-]*$/.test(name)) {
    problems.push('invalid value for name (must match [\\w+=,.@-])');
  }
  return problems;
}

function checkPolicy(config: Values, attribute: string): string[] {
  const policy = config[attribute];
  if (typeof policy !== 'string') return [];
  try {
    JSON.parse(policy);
    return [];
  } catch {
    return [`"${attribute}" contains an invalid JSON policy`];
  }
}

function seconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
