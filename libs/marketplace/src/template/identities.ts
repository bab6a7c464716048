import { ref, sub, when, type Value } from './intrinsics.js';
import { policy, stackPolicies } from './policies.js';
import type { Resources } from './resource.js';

/** Not the path of roles that Crate makes and changes itself: it must never be able to change its own. */
const PATH = '/crate-installation/';

/** What the temporary machine may do, and nothing else: read its key, write what administrators get, meter. */
const MACHINE_ACTIONS = {
  secret: ['secretsmanager:GetSecretValue'],
  administrator: ['secretsmanager:PutSecretValue'],
  key: ['kms:Decrypt', 'kms:GenerateDataKey'],
  metering: ['aws-marketplace:MeterUsage', 'aws-marketplace:RegisterUsage'],
  shell: [
    'ssm:UpdateInstanceInformation',
    'ssmmessages:CreateControlChannel',
    'ssmmessages:CreateDataChannel',
    'ssmmessages:OpenControlChannel',
    'ssmmessages:OpenDataChannel',
  ],
};
/** What the guard looks at; it changes nothing. */
const GUARD_ACTIONS = {
  look: [
    'ec2:DescribeAddresses',
    'ec2:DescribeInstances',
    'ec2:DescribeRegions',
    'ec2:DescribeVolumes',
    'ec2:DescribeVpcs',
    'iam:ListRoles',
  ],
  log: ['logs:CreateLogStream', 'logs:PutLogEvents'],
};

/** The user that the platform works as, the roles of this stack, and the boundaries of all of them. */
export function identities(): Resources {
  const { look, compute, access, machineBoundary, userBoundary } = stackPolicies();
  return {
    MachineBoundary: managedPolicy('The most that machines of clusters may ever do', machineBoundary),
    PlatformBoundary: managedPolicy('The most that the platform may ever do in this account', userBoundary),
    StackBoundary: managedPolicy('The most that the roles of the installation may ever do', stackBoundary()),
    PlatformLook: managedPolicy('Calls of the platform that change nothing', look),
    PlatformCompute: managedPolicy('Networks, machines and disks of the platform and its clusters', compute),
    PlatformAccess: managedPolicy('Load balancers and the roles of machines', access),
    PlatformUser: {
      Type: 'AWS::IAM::User',
      Properties: {
        Path: PATH,
        PermissionsBoundary: boundary('PlatformBoundary'),
        ManagedPolicyArns: [ref('PlatformLook'), ref('PlatformCompute'), ref('PlatformAccess')],
      },
    },
    PlatformKey: {
      Type: 'AWS::IAM::AccessKey',
      // The platform works with the old one until somebody has given it the new one.
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Retain',
      Properties: { UserName: ref('PlatformUser'), Serial: ref('AccessKeySerial'), Status: 'Active' },
    },
    MachineRole: role('ec2.amazonaws.com', machinePolicies()),
    MachineProfile: { Type: 'AWS::IAM::InstanceProfile', Properties: { Path: PATH, Roles: [ref('MachineRole')] } },
    GuardRole: { ...role('lambda.amazonaws.com', [inline('guard', guardStatements())]), Condition: 'Guarded' },
  };
}

function managedPolicy(Description: string, PolicyDocument: Value): Resources[string] {
  return { Type: 'AWS::IAM::ManagedPolicy', Properties: { Description, PolicyDocument } };
}

function boundary(own: string): Value {
  return when('OwnBoundary', ref('BoundaryArn'), ref(own));
}

function role(service: string, Policies: readonly Value[]): Resources[string] {
  const trust = { Effect: 'Allow', Action: ['sts:AssumeRole'], Principal: { Service: service } };
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      Path: PATH,
      PermissionsBoundary: boundary('StackBoundary'),
      AssumeRolePolicyDocument: policy([trust]),
      Policies,
    },
  };
}

function inline(PolicyName: string, statements: readonly Value[]): Value {
  return { PolicyName, PolicyDocument: policy(statements) };
}

function allow(Sid: string, Action: readonly string[], Resource: Value): Value {
  return { Sid, Effect: 'Allow', Action, Resource };
}

function machinePolicies(): readonly Value[] {
  const { secret, administrator, key, metering, shell } = MACHINE_ACTIONS;
  return [
    inline('secrets', [
      allow('ReadKeyOfPlatform', secret, ref('PlatformCredentials')),
      allow('KeepAdministrator', administrator, ref('AdministratorSecret')),
    ]),
    when('OwnKey', inline('key', [allow('KeyOfSecrets', key, ref('KmsKeyArn'))])),
    // Source: https://docs.aws.amazon.com/marketplace/latest/userguide/iam-user-policy-for-aws-marketplace-actions.html (these calls take no resource)
    when('Metered', inline('metering', [allow('Meter', metering, '*')])),
    // Source: https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-create-iam-instance-profile.html (these calls take no resource)
    when('HasShell', inline('shell', [allow('Shell', shell, '*')])),
  ];
}

function guardStatements(): readonly Value[] {
  return [allow('Look', GUARD_ACTIONS.look, '*'), allow('Log', GUARD_ACTIONS.log, sub('${GuardLog.Arn}:log-stream:*'))];
}

function stackBoundary(): Value {
  const all = [...Object.values(MACHINE_ACTIONS), ...Object.values(GUARD_ACTIONS)].flat().sort();
  return policy([allow('MostOfTheInstallation', all, '*')]);
}

/** The secrets of the installation: what the platform works with, and what administrators get. */
export function secrets(): Resources {
  const key = { KmsKeyId: when('OwnKey', ref('KmsKeyArn')) };
  // Neither is good for anything once the user and the platform are gone.
  const goes = { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' } as const;
  return {
    PlatformCredentials: {
      Type: 'AWS::SecretsManager::Secret',
      ...goes,
      Properties: {
        ...key,
        Description: 'Access key that the platform works with in this account',
        SecretString: sub('{"accessKeyId":"${PlatformKey}","secretAccessKey":"${PlatformKey.SecretAccessKey}"}'),
      },
    },
    AdministratorSecret: {
      Type: 'AWS::SecretsManager::Secret',
      ...goes,
      Properties: { ...key, Description: 'Kubeconfig of the first administrator; empty until the platform is up' },
    },
  };
}
