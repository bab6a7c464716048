import { IamInstanceProfile } from '@cdktn/provider-aws/lib/iam-instance-profile/index.js';
import { IamRole } from '@cdktn/provider-aws/lib/iam-role/index.js';
import { IamRolePolicy } from '@cdktn/provider-aws/lib/iam-role-policy/index.js';
import type { Construct } from 'constructs';
import type { AwsClusterInput, MachineRole } from '../input.js';
import { IAM_PATH, kubernetesClusterTag, uniqueName } from '../names.js';
import { controlPlaneStatements, meteringStatements, type Statement } from './identity-policies.js';

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
 * ask AWS nothing, but in the cluster of a platform that is metered (ADR 0502); their role stays, because to take a profile from machines that run needs
 * rights that accounts did not give.
 */
export function buildIdentities(scope: Construct, input: AwsClusterInput): Identities {
  const volumes = { name: 'kubernetes', statements: controlPlaneStatements(kubernetesClusterTag(input)) };
  const metering = { name: 'metering', statements: meteringStatements() };
  return {
    'control-plane': buildIdentity(scope, input, 'control-plane', volumes),
    worker: buildIdentity(scope, input, 'worker', input.isMetered ? metering : undefined),
  };
}

function buildIdentity(
  scope: Construct,
  input: AwsClusterInput,
  role: MachineRole,
  rights: { readonly name: string; readonly statements: readonly Statement[] } | undefined,
): IamInstanceProfile {
  const iamRole = buildRole(scope, input, role);
  if (rights === undefined) return buildProfile(scope, input, role, { iamRole });
  const policy = new IamRolePolicy(scope, `${role}-policy`, {
    name: rights.name,
    role: iamRole.id,
    policy: JSON.stringify({ Version: VERSION, Statement: rights.statements }),
  });
  // Whoever has the profile is to have the permissions too.
  return buildProfile(scope, input, role, { iamRole, dependsOn: [policy] });
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
