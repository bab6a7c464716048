import { IamInstanceProfile } from '@cdktn/provider-aws/lib/iam-instance-profile/index.js';
import { IamRole } from '@cdktn/provider-aws/lib/iam-role/index.js';
import { IamRolePolicy } from '@cdktn/provider-aws/lib/iam-role-policy/index.js';
import type { Construct } from 'constructs';
import type { AwsClusterInput, MachineRole } from '../input.js';
import { IAM_PATH, kubernetesClusterTag, uniqueName } from '../names.js';
import { controlPlaneStatements } from './identity-policies.js';

const VERSION = '2012-10-17';
const ROLE_NAME_LENGTH = 64;

const ASSUMED_BY_MACHINES = {
  Version: VERSION,
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};

/** The identity machines of each role have towards AWS. */
export type Identities = Record<MachineRole, IamInstanceProfile>;

/**
 * IAM roles and the instance profiles that hand them to machines. The control plane has a least-privilege policy. Workers have none, since kubelets
 * ask AWS nothing; their role stays, because to take a profile from machines that run needs rights that accounts did not give.
 */
export function buildIdentities(scope: Construct, input: AwsClusterInput): Identities {
  const iamRole = buildRole(scope, input, 'control-plane');
  const policy = new IamRolePolicy(scope, 'control-plane-policy', {
    name: 'kubernetes',
    role: iamRole.id,
    policy: JSON.stringify({ Version: VERSION, Statement: controlPlaneStatements(kubernetesClusterTag(input)) }),
  });
  return {
    // Whoever has the profile is to have the permissions too.
    'control-plane': buildProfile(scope, input, 'control-plane', { iamRole, dependsOn: [policy] }),
    worker: buildProfile(scope, input, 'worker', { iamRole: buildRole(scope, input, 'worker') }),
  };
}

function buildRole(scope: Construct, input: AwsClusterInput, role: MachineRole): IamRole {
  const name = uniqueName(input, role, ROLE_NAME_LENGTH);
  return new IamRole(scope, `${role}-role`, {
    name,
    path: IAM_PATH,
    description: `Machines of cluster ${input.namespace}/${input.clusterName}: ${role}`,
    assumeRolePolicy: JSON.stringify(ASSUMED_BY_MACHINES),
    ...(input.permissionsBoundary === undefined ? {} : { permissionsBoundary: input.permissionsBoundary }),
    tags: { Name: name },
  });
}

function buildProfile(
  scope: Construct,
  input: AwsClusterInput,
  role: MachineRole,
  parts: { readonly iamRole: IamRole; readonly dependsOn?: IamRolePolicy[] },
): IamInstanceProfile {
  const { iamRole, ...order } = parts;
  const name = uniqueName(input, role, ROLE_NAME_LENGTH);
  return new IamInstanceProfile(scope, `${role}-profile`, {
    ...{ name, path: IAM_PATH, role: iamRole.name, tags: { Name: name } },
    ...order,
  });
}
