import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountPolicies, MANAGED_BY, OWNER_TAGS } from '@crate/infra-aws';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { combinations } from '../checks/combinations.js';
import { render, type Chosen, type Rendered, type RenderedResource } from '../checks/rendered.js';
import { ResourceSchemas } from '../checks/resource-schemas.js';
import { ROOT, TEMPLATE_FILE, templateText } from '../written-files.js';
import { embedded } from './embedded.js';
import { SHELL_SAFE } from './patterns.js';
import type { Template } from './template.js';

interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: unknown;
}

const text = readFileSync(join(ROOT, TEMPLATE_FILE), 'utf8');
const template = parse(text) as Template;
const all = combinations().map((chosen) => render(template, chosen));
const usual = render(template);
const schemas = new ResourceSchemas();
const LONGEST_BODY = 51_200;
const LONGEST_POLICY = 6_144;
const LONGEST_USER_DATA = 16_384;

function ofType({ resources }: Rendered, ...types: readonly string[]): readonly RenderedResource[] {
  return Object.values(resources).filter(({ type }) => types.includes(type));
}

function property(rendered: Rendered, name: string, key: string): unknown {
  return rendered.resources[name]?.properties[key];
}

/** Every `Statement` in a resource, however deep. */
function statementsIn(value: unknown): readonly Statement[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'Statement' in value ? (value.Statement as Statement[]) : [];
  return [...own, ...Object.values(value).flatMap(statementsIn)];
}

describe('crate.template.yaml', () => {
  it('is as made: node libs/marketplace/dist/main.js', () => {
    expect(text).toBe(templateText());
  });

  it('can be handed to CloudFormation without a bucket, that of a release as well', () => {
    const url = `https://releases.example.com/${'a-longer-path/'.repeat(5)}1.2.0`;
    const released = templateText({ url, sha256: '0'.repeat(64), publicKey: 'A'.repeat(124) });
    expect(released).toContain(url);
    expect(Buffer.byteLength(released)).toBeLessThanOrEqual(LONGEST_BODY);
  });

  it('tells for how long the first administrator is let in', () => {
    const Description: unknown = expect.stringMatching('good for seven days');
    expect(template.Outputs['Administrator']).toMatchObject({ Description });
  });

  it('has nothing that another image than the day before would replace', () => {
    expect(text).not.toContain('AWS::SSM::Parameter::Value');
    expect(property(usual, 'Machine', 'ImageId')).toBeUndefined();
    expect(property(usual, 'Machine', 'LaunchTemplate')).toMatchObject({ Version: '1' });
  });

  it('says the same to CloudFormation, which reads YAML 1.1, as to everybody else', () => {
    const read = parse(text, { version: '1.1', schema: 'yaml-1.1' }) as Template;
    expect(JSON.parse(JSON.stringify(read))).toEqual(template);
    const texts = Object.values(read.Parameters).filter(({ Type }) => Type === 'String');
    const values: unknown[] = texts.flatMap(({ Default = '', AllowedValues = [] }) => [Default, ...AllowedValues]);
    expect(values.length).toBeGreaterThan(20);
    expect(values.filter((value) => typeof value !== 'string')).toEqual([]);
  });

  it('fits the schemas of its resources, whatever was chosen', () => {
    const complaints = all.flatMap(({ resources, attributes }) => [
      ...Object.entries(resources).flatMap(([name, resource]) => schemas.complaints(name, resource)),
      ...attributes.filter((each) => !schemas.hasAttribute(...each)).map((each) => `no attribute ${each.join('.')}`),
    ]);
    expect([...new Set(complaints)]).toEqual([]);
    expect(all).toHaveLength(128);
  });

  it('would be told what is wrong with a resource', () => {
    const { type, properties } = usual.resources['Machine'] ?? { type: '', properties: {} };
    const changed = { ...properties, MetadataOptions: { HttpTokens: 'never' }, Colour: 'red' };
    expect(schemas.complaints('Machine', { type, properties: changed })).toEqual([
      'Machine.MetadataOptions.HttpTokens must be one of optional,required',
      'Machine.Colour is unknown',
    ]);
    expect(schemas.complaints('Key', { type: 'AWS::IAM::AccessKey', properties: {} })).toEqual([
      'Key.UserName is missing',
    ]);
    expect(schemas.hasAttribute('AWS::EC2::Instance', 'Colour')).toBe(false);
  });

  it('has its own subnet in the zone that is asked for; a stack that named none keeps the one it has', () => {
    const zone = (chosen: Chosen): unknown => property(render(template, chosen), 'Subnet', 'AvailabilityZoneId');
    expect(zone({ SubnetZoneId: 'use1-az4' })).toBe('use1-az4');
    // The property replaces the subnet, also where it says what is so already.
    expect([zone({}), zone({ 'AWS::Region': 'us-east-1' })]).toEqual([undefined, undefined]);
    expect(template.Parameters['SubnetZoneId']?.Default).toBe('');
  });

  it.each(['', 'use1-az4', 'apne1-az2', 'usw2-az4'])('takes the zone "%s"', (zone) => {
    expect(zone).toMatch(new RegExp(template.Parameters['SubnetZoneId']?.AllowedPattern ?? '$^'));
  });

  it('refuses the name of a zone, which is another zone in each account', () => {
    expect('us-east-1a').not.toMatch(new RegExp(template.Parameters['SubnetZoneId']?.AllowedPattern ?? ''));
  });

  it('makes nothing that a condition leaves out, and leaves nothing out that is asked for', () => {
    const given = render(template, { VpcId: 'vpc-0123456789abcdef0', SubnetId: 'subnet-0123456789abcdef0' });
    expect(ofType(given, 'AWS::EC2::VPC', 'AWS::EC2::Subnet', 'AWS::EC2::InternetGateway')).toEqual([]);
    expect(property(given, 'SecurityGroup', 'VpcId')).toBe('vpc-0123456789abcdef0');
    const unguarded = render(template, { DeletionGuard: 'off' });
    expect(Object.keys(unguarded.resources).filter((name) => name.startsWith('Guard'))).toEqual([]);
    expect(() => render({ ...template, Outputs: { Lost: { Ref: 'Nobody' } } })).toThrow('Nobody');
  });
});

describe('its parameters', () => {
  const parameters = Object.entries(template.Parameters);
  const { ParameterGroups, ParameterLabels } = (template.Metadata as Record<string, object>)[
    'AWS::CloudFormation::Interface'
  ] as {
    ParameterGroups: readonly { readonly Parameters: readonly string[] }[];
    ParameterLabels: object;
  };

  it('have defaults but for who may reach the platform: nobody else knows', () => {
    const required = parameters.filter(([, { Default }]) => Default === undefined).map(([name]) => name);
    expect(required).toEqual(['ManagementNetwork']);
  });

  it.each(parameters)('%s is described, and has a constraint that its default keeps', (_name, parameter) => {
    const { Description, Default, AllowedPattern, AllowedValues, MinValue, MaxValue } = parameter;
    expect(Description).toMatch(/^.{20,}\.$/);
    if (AllowedValues) expect(AllowedValues).toContain(Default);
    else if (AllowedPattern) expect(String(Default ?? '203.0.113.0/24')).toMatch(new RegExp(AllowedPattern));
    else expect([Number(MinValue) <= Number(Default), Number(Default) <= Number(MaxValue)]).toEqual([true, true]);
    if (AllowedPattern) expect(parameter.ConstraintDescription).toMatch(/^.{10,}$/);
  });

  it('are each in one group, with a label', () => {
    const names = parameters.map(([name]) => name);
    expect(ParameterGroups.flatMap(({ Parameters }) => Parameters)).toEqual(names);
    expect(Object.keys(ParameterLabels)).toEqual(names);
  });

  it.each([
    ['ManagementNetwork', '0.0.0.0/0'],
    ['ManagementNetwork', ''],
    ['VpcCidr', '10.0.0.0/8'],
    ['PlatformName', 'internal-crate'],
    ['PlatformName', 'sg'],
    ['ReleaseUrl', 'http://releases.example.com/1'],
    ['ReleaseUrl', 'https://releases.example.com'],
    ['ReleaseUrl', "https://a'; rm -rf /"],
    ['ReleaseUrl', 'https://releases.example.com/1.2.0/'],
    ['ReleaseUrl', 'https://releases.example.com//'],
    ['ReleaseSha256', 'abc'],
    ['BoundaryArn', '*'],
    ['ImageId', '/somebody/elses/image'],
  ])('%s is never %s', (name, value) => {
    expect(value).not.toMatch(new RegExp(template.Parameters[name]?.AllowedPattern ?? ''));
  });

  it.each(['crate', 'c', 'internals', 'my-sg'])('PlatformName may be %s', (value) => {
    expect(value).toMatch(new RegExp(template.Parameters['PlatformName']?.AllowedPattern ?? ''));
  });

  it('bring nothing into user data that a shell would read', () => {
    const [settings = ''] = decoded(usual).split('#!/bin/bash\nset -');
    const used = Object.keys(template.Parameters).filter((name) =>
      JSON.stringify(template.Resources['Machine']).includes(`\${${name}}`),
    );
    expect(used).toEqual(expect.arrayContaining(['ReleaseUrl', 'PlatformName', 'ProductCode']));
    for (const name of used) {
      const { AllowedPattern = '', AllowedValues = [] } = template.Parameters[name] ?? {};
      const safe = new RegExp(`^${SHELL_SAFE}*$`);
      for (const value of AllowedValues) expect(value).toMatch(safe);
      for (const evil of ["a'b", 'a$b', 'a`b', 'a\nb', 'a b', 'a"b'])
        expect([name, new RegExp(AllowedPattern || '^$').test(evil)]).toEqual([name, false]);
    }
    for (const line of settings.trim().split('\n').slice(1)) expect(line).toMatch(/^export CRATE_[A-Z0-9_]+='[^']*'$/);
  });

  it('refuse what does not go together', () => {
    const descriptions = Object.values(template.Rules).flatMap((rule) =>
      (rule as { Assertions: { AssertDescription: string }[] }).Assertions.map((each) => each.AssertDescription),
    );
    for (const name of ['ReleaseSha256', 'ReleasePublicKey', 'SubnetId', 'VpcId'])
      expect(descriptions.join()).toContain(name);
  });
});

function decoded(rendered: Rendered): string {
  return Buffer.from(String(property(rendered, 'Machine', 'UserData')), 'base64').toString();
}

describe('the machine', () => {
  it.each(combinations().map((chosen) => [JSON.stringify(chosen), render(template, chosen)] as const))(
    'answers tokens only, and its disks are encrypted: %s',
    (_chosen, rendered) => {
      const { MetadataOptions, BlockDeviceMappings } = rendered.resources['Machine']?.properties ?? {};
      expect(MetadataOptions).toEqual({ HttpEndpoint: 'enabled', HttpTokens: 'required', HttpPutResponseHopLimit: 1 });
      expect(BlockDeviceMappings).toMatchObject([{ Ebs: { Encrypted: true } }]);
      expect(property(rendered, 'DataVolume', 'Encrypted')).toBe(true);
    },
  );

  it('has one address, let in by the platform, for as long as the stack is there', () => {
    for (const rendered of all) {
      expect(ofType(rendered, 'AWS::EC2::EIPAssociation').map(({ properties }) => properties)).toEqual([
        { AllocationId: '<Address.AllocationId>', InstanceId: '<Machine>' },
      ]);
      expect(property(rendered, 'Machine', 'NetworkInterfaces')).toMatchObject([{ AssociatePublicIpAddress: false }]);
      expect(decoded(rendered)).toContain("CRATE_MANAGEMENT_NETWORKS='<Address>/32,203.0.113.0/24'");
    }
    // What the script waits for comes after it.
    expect(template.Resources['DataAttachment']?.DependsOn).toBe('MachineAddress');
  });

  it('lets nothing in', () => {
    for (const { properties } of all.flatMap((each) => ofType(each, 'AWS::EC2::SecurityGroup'))) {
      expect(properties['SecurityGroupIngress']).toBeUndefined();
    }
    expect(all.flatMap((each) => ofType(each, 'AWS::EC2::SecurityGroupIngress'))).toEqual([]);
  });

  it('starts with the script as it lies beside the template', () => {
    const script = readFileSync(join(ROOT, 'deploy/marketplace/bootstrap.sh'), 'utf8');
    expect(decoded(usual).endsWith(embedded(script))).toBe(true);
    expect(decoded(usual).length).toBeLessThan(LONGEST_USER_DATA);
    execFileSync('bash', ['-n'], { input: decoded(usual) });
  });
});

describe('its permissions', () => {
  it.each([
    ['PlatformLook', 'crate-look'],
    ['PlatformCompute', 'crate-compute'],
    ['PlatformAccess', 'crate-access'],
    ['MachineBoundary', 'crate-machine-boundary'],
  ])('%s is deploy/aws/%s.json, for this account', (name, file) => {
    const anyAccount = JSON.stringify(property(usual, name, 'PolicyDocument'))
      .replaceAll('123456789012', '*')
      .replaceAll('<MachineBoundary>', 'arn:aws:iam::*:policy/crate-machine-boundary');
    const want = readFileSync(join(ROOT, `deploy/aws/${file}.json`), 'utf8');
    expect(JSON.parse(anyAccount)).toEqual(JSON.parse(want));
    expect(JSON.parse(want)).toEqual(accountPolicies()[file]);
  });

  it('name every action', () => {
    const actions = all.flatMap((each) => statementsIn(each)).flatMap(({ Action }) => Action);
    expect(actions.length).toBeGreaterThan(100);
    expect(actions.filter((action) => !/^[a-z0-9-]+:[A-Za-z]+$/.test(action))).toEqual([]);
  });

  it('fit into what IAM takes', () => {
    for (const { properties } of ofType(usual, 'AWS::IAM::ManagedPolicy')) {
      expect(JSON.stringify(properties['PolicyDocument']).length).toBeLessThan(LONGEST_POLICY - 200);
    }
  });

  it('have a boundary that holds all of them, on every role and user', () => {
    for (const rendered of all) {
      for (const { properties } of ofType(rendered, 'AWS::IAM::Role', 'AWS::IAM::User')) {
        const boundary = String(properties['PermissionsBoundary']);
        if (boundary.startsWith('arn:')) continue;
        const most = statementsIn(rendered.resources[boundary.slice(1, -1)]).flatMap(({ Action }) => Action);
        const attached = ((properties['ManagedPolicyArns'] ?? []) as string[]).map(
          (name) => rendered.resources[name.slice(1, -1)],
        );
        const given = statementsIn([properties['Policies'], attached]).flatMap(({ Action }) => Action);
        expect(given.length).toBeGreaterThan(0);
        expect(given.filter((action) => !most.includes(action))).toEqual([]);
      }
    }
  });

  it('take the boundary of an organisation instead', () => {
    const BoundaryArn = 'arn:aws:iam::123456789012:policy/of-the-organisation';
    const boundaries = ofType(render(template, { BoundaryArn }), 'AWS::IAM::Role', 'AWS::IAM::User').map(
      ({ properties }) => properties['PermissionsBoundary'],
    );
    expect(boundaries).toEqual([BoundaryArn, BoundaryArn, BoundaryArn]);
  });

  it('let the platform change neither its own user nor the roles of the stack', () => {
    const paths = ofType(usual, 'AWS::IAM::Role', 'AWS::IAM::User').map(({ properties }) => properties['Path']);
    expect(new Set(paths)).toEqual(new Set(['/crate-installation/']));
    expect(text).not.toContain(`Key: ${OWNER_TAGS.managedBy}`);
    expect(JSON.stringify(named(usual))).not.toContain(`"${MANAGED_BY}"`);
  });

  it('let workers of the platform cluster meter what has a product code, and nothing else', () => {
    const most = (chosen: Chosen): readonly string[] =>
      statementsIn(render(template, chosen).resources['MachineBoundary']).flatMap(({ Action }) => Action);
    const [usually, metered] = [most({}), most({ ProductCode: 'abc123' })];
    expect(metered.filter((action) => !usually.includes(action))).toEqual(['aws-marketplace:MeterUsage']);
  });

  it('let the machine meter only what has a product code, and give a shell only where asked', () => {
    const actions = (chosen: Record<string, string>): string =>
      JSON.stringify(property(render(template, chosen), 'MachineRole', 'Policies'));
    expect(actions({})).not.toMatch(/aws-marketplace|ssm/);
    expect(actions({ ProductCode: 'abc123' })).toContain('aws-marketplace:MeterUsage');
    expect(actions({ SessionManager: 'on' })).toContain('ssmmessages:OpenDataChannel');
  });
});

/** Values of all tags. */
function named({ resources }: Rendered): readonly unknown[] {
  return Object.values(resources).map(({ properties }) => properties['Tags']);
}

describe('its deletion', () => {
  it('begins with the guard: nothing that is needed to take Crate away goes before', () => {
    const needed = new Set<string>();
    const follow = (name: string): void => {
      if (needed.has(name) || !(name in template.Resources)) return;
      needed.add(name);
      const words = JSON.stringify(template.Resources[name]).match(/[A-Z][A-Za-z]+/g) ?? [];
      for (const word of new Set(words)) follow(word);
    };
    follow('Guard');
    const before = Object.keys(template.Resources).filter((name) => !needed.has(name));
    expect(before).toEqual(['Platform']);
  });

  it('leaves the old access key to the platform until it has the new one', () => {
    expect(template.Resources['PlatformKey']).toMatchObject({ UpdateReplacePolicy: 'Retain' });
  });

  it('leaves a snapshot of what the bootstrap knew', () => {
    expect(template.Resources['DataVolume']).toMatchObject({
      DeletionPolicy: 'Snapshot',
      UpdateReplacePolicy: 'Snapshot',
    });
  });
});

const linter = spawnSync('cfn-lint', ['--version'], { encoding: 'utf8' });
const lintSuite = linter.status === 0 ? describe : describe.skip;

lintSuite(
  `cfn-lint${linter.status === 0 ? '' : ' (skipped: it is not here; the schemas above are the same ones)'}`,
  () => {
    it('finds nothing', () => {
      const { stdout, stderr } = spawnSync('cfn-lint', ['-t', join(ROOT, TEMPLATE_FILE)], { encoding: 'utf8' });
      expect(stdout + stderr).toBe('');
    });
  },
);
