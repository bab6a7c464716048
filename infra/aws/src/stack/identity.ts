import { IamInstanceProfile } from '@cdktn/provider-aws/lib/iam-instance-profile/index.js';
import { IamRole } from '@cdktn/provider-aws/lib/iam-role/index.js';
import { IamRolePolicy } from '@cdktn/provider-aws/lib/iam-role-policy/index.js';
import type { Construct } from 'constructs';
import type { AwsClusterInput, MachineRole } from '../input.js';
import { IAM_PATH, kubernetesClusterTag, uniqueName } from '../names.js';
import { controlPlaneStatements, workerStatements, type Statement } from './identity-policies.js';

const VERSION = '2012-10-17';
const ROLE_NAME_LENGTH = 64;

const ASSUMED_BY_MACHINES = {
  Version: VERSION,
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};

/** The identity machines of each role have towards AWS. */
export type Identities = Record<MachineRole, IamInstanceProfile>;

/** IAM roles with least-privilege policies and the instance profiles that hand them to machines. */
export function buildIdentities(scope: Construct, input: AwsClusterInput): Identities {
  return {
    'control-plane': buildIdentity(scope, input, 'control-plane', controlPlaneStatements(kubernetesClusterTag(input))),
    worker: buildIdentity(scope, input, 'worker', workerStatements()),
  };
}

function buildIdentity(
  scope: Construct,
  input: AwsClusterInput,
  role: MachineRole,
  statements: readonly Statement[],
): IamInstanceProfile {
  const name = uniqueName(input, role, ROLE_NAME_LENGTH);
  const iamRole = new IamRole(scope, `${role}-role`, {
    name,
    path: IAM_PATH,
    description: `Machines of cluster ${input.namespace}/${input.clusterName}: ${role}`,
    assumeRolePolicy: JSON.stringify(ASSUMED_BY_MACHINES),
    ...(input.permissionsBoundary === undefined ? {} : { permissionsBoundary: input.permissionsBoundary }),
    tags: { Name: name },
  });
  const policy = new IamRolePolicy(scope, `${role}-policy`, {
    name: 'kubernetes',
    role: iamRole.id,
    policy: JSON.stringify({ Version: VERSION, Statement: statements }),
  });
  return new IamInstanceProfile(scope, `${role}-profile`, {
    name,
    path: IAM_PATH,
    role: iamRole.name,
    tags: { Name: name },
    // Whoever has the profile is to have the permissions too.
    dependsOn: [policy],
  });
}
