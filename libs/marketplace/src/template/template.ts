import { embedded } from './embedded.js';
import { guard } from './guard.js';
import { identities, secrets } from './identities.js';
import { attribute, equals, not, ref, when, type Value } from './intrinsics.js';
import { machine } from './machine.js';
import { network } from './network.js';
import { parameterGroups, type LabelledParameter, type Parameter, type ReleaseFacts } from './parameters.js';
import type { Resources } from './resource.js';

/** A template of CloudFormation. */
export interface Template {
  readonly AWSTemplateFormatVersion: '2010-09-09';
  readonly Description: string;
  readonly Metadata: Value;
  readonly Parameters: Readonly<Record<string, Parameter>>;
  readonly Rules: Readonly<Record<string, Value>>;
  readonly Conditions: Readonly<Record<string, Value>>;
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, Value>>;
}

export interface TemplateSources {
  readonly release: ReleaseFacts;
  /** The text of `deploy/marketplace/bootstrap.sh`. */
  readonly script: string;
  /** The text of `deploy/marketplace/removal-guard.cjs`. */
  readonly guardCode: string;
}

/** The whole template. Pure. */
export function template({ release, script, guardCode }: TemplateSources): Template {
  const groups = parameterGroups(release);
  const all = Object.assign({}, ...groups.map(({ parameters }) => parameters)) as Record<string, LabelledParameter>;
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: 'Crate: a temporary machine that sets up the platform in this account, and what the platform works as',
    Metadata: {
      // It takes the data of a wait condition for an object; CloudFormation gives them as a text.
      'cfn-lint': { config: { ignore_checks: ['E6101'] } },
      'AWS::CloudFormation::Interface': {
        ParameterGroups: groups.map(({ label, parameters }) => ({
          Label: { default: label },
          Parameters: Object.keys(parameters),
        })),
        ParameterLabels: Object.fromEntries(Object.entries(all).map(([name, { label }]) => [name, { default: label }])),
      },
    },
    Parameters: Object.fromEntries(Object.entries(all).map(([name, { label: _label, ...rest }]) => [name, rest])),
    Rules: RULES,
    Conditions: CONDITIONS,
    Resources: {
      ...identities(),
      ...secrets(),
      ...network(),
      ...machine(embedded(script)),
      ...guard(embedded(guardCode)),
    },
    Outputs: OUTPUTS,
  };
}

const CONDITIONS: Template['Conditions'] = {
  NewNetwork: equals('VpcId', ''),
  HasZone: not(equals('SubnetZoneId', '')),
  OwnBoundary: not(equals('BoundaryArn', '')),
  OwnKey: not(equals('KmsKeyArn', '')),
  HasShell: equals('SessionManager', 'on'),
  Metered: not(equals('ProductCode', '')),
  Guarded: equals('DeletionGuard', 'on'),
};

const RULES: Template['Rules'] = {
  ReleaseIsNamed: {
    Assertions: ['ReleaseUrl', 'ReleaseSha256', 'ReleasePublicKey'].map((name) =>
      assertion(not(equals(name, '')), `${name} is empty: take the template of a release, or say it yourself`),
    ),
  },
  SubnetComesWithItsVpc: {
    RuleCondition: not(equals('VpcId', '')),
    Assertions: [assertion(not(equals('SubnetId', '')), 'VpcId is given without SubnetId: name a subnet of that VPC')],
  },
  VpcComesWithItsSubnet: {
    RuleCondition: not(equals('SubnetId', '')),
    Assertions: [assertion(not(equals('VpcId', '')), 'SubnetId is given without VpcId: name the VPC of that subnet')],
  },
};

function assertion(Assert: Value, AssertDescription: string): Value {
  return { Assert, AssertDescription };
}

const OUTPUTS: Template['Outputs'] = {
  Platform: output(
    'What the bootstrap told: address and version of the platform, as JSON',
    attribute('Platform', 'Data'),
  ),
  Administrator: output(
    'Secret with the kubeconfig of the first administrator, good for seven days',
    ref('AdministratorSecret'),
  ),
  Machine: output('The temporary machine; it stops by itself when the platform has its own', ref('Machine')),
  MachineBoundary: output('Permissions boundary of machines, for further CloudAccounts here', ref('MachineBoundary')),
  PlatformUser: output('User that the platform works as', ref('PlatformUser')),
  Network: output('VPC of the temporary machine', when('NewNetwork', ref('Vpc'), ref('VpcId'))),
};

function output(Description: string, value: Value): Value {
  return { Description, Value: value };
}
