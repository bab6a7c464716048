import { kubernetesClusterTag, nameHash, OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListingOptions } from '../cloud-provider.js';
import { isLockedOut } from '../credentials-rejected.js';
import { AwsClient } from './aws-client.js';
import { listAwsResources } from './aws-inventory.js';
import { AwsStandIn, emptyWorld } from './testing/aws-stand-in.js';

const TAG = ['crate.dev/managed-by', 'crate'] as const;
const tags = { 'crate.dev/managed-by': 'crate', 'crate.dev/infrastructure-uid': 'u1' };
const others = { 'crate.dev/managed-by': 'someone' };
const { signal } = new AbortController();

let aws: AwsStandIn;
let pauses: number[];

beforeAll(async () => {
  aws = await AwsStandIn.start();
});
afterAll(() => aws.close());
beforeEach(() => {
  aws.calls.length = 0;
  aws.refusals = {};
  aws.world = emptyWorld();
  pauses = [];
});

async function list(
  tag: readonly [string, string] = TAG,
  options: ListingOptions = {},
): Promise<readonly OwnedResource[]> {
  const client = new AwsClient({
    endpoint: () => aws.url,
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    signal,
    random: () => 0.5,
    pause: (ms) => Promise.resolve(pauses.push(ms)),
  });
  return listAwsResources(client, 'eu-west-1', tag, options);
}

const names = (found: readonly OwnedResource[]): string[] =>
  found.map(({ type, id, importId }) => `${type} ${id} ${importId}`);
const ec2 = (kind: string, id: string): string => `arn:aws:ec2:eu-west-1:123456789012:${kind}/${id}`;
const lb = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/demo/50dc';

describe('listAwsResources', () => {
  it('gives every type of the stack as Terraform knows it', async () => {
    aws.world.resources = [
      ec2('vpc', 'vpc-1'),
      ec2('subnet', 'subnet-1'),
      ec2('internet-gateway', 'igw-1'),
      ec2('elastic-ip', 'eipalloc-1'),
      ec2('natgateway', 'nat-1'),
      ec2('route-table', 'rtb-1'),
      ec2('security-group', 'sg-1'),
      ec2('security-group-rule', 'sgr-in'),
      ec2('security-group-rule', 'sgr-out'),
      ec2('key-pair', 'key-1'),
      ec2('instance', 'i-1'),
      lb,
      lb.replace('loadbalancer/net', 'targetgroup'),
      `${lb.replace('loadbalancer', 'listener')}/0467`,
    ].map((arn) => ({ arn, tags }));
    aws.world.resources.push({ arn: ec2('vpc', 'vpc-of-others'), tags: others });
    aws.world.ec2 = {
      DescribeInstances: {
        set: 'reservationSet',
        items: [
          {
            tags,
            xml: '<instancesSet><item><instanceId>i-1</instanceId><instanceState><name>running</name></instanceState></item></instancesSet>',
          },
        ],
      },
      DescribeNatGateways: {
        set: 'natGatewaySet',
        items: [{ tags, xml: '<natGatewayId>nat-1</natGatewayId><state>available</state>' }],
      },
      DescribeSecurityGroupRules: {
        set: 'securityGroupRuleSet',
        items: [
          { tags, xml: '<securityGroupRuleId>sgr-in</securityGroupRuleId><isEgress>false</isEgress>' },
          { tags, xml: '<securityGroupRuleId>sgr-out</securityGroupRuleId><isEgress>true</isEgress>' },
        ],
      },
      DescribeKeyPairs: {
        set: 'keySet',
        items: [{ tags, xml: '<keyPairId>key-1</keyPairId><keyName>demo-1723af96</keyName>' }],
      },
      DescribeRouteTables: {
        set: 'routeTableSet',
        items: [
          {
            tags,
            xml:
              '<routeTableId>rtb-1</routeTableId>' +
              '<routeSet><item><destinationCidrBlock>10.0.0.0/16</destinationCidrBlock><origin>CreateRouteTable</origin></item>' +
              '<item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock><origin>CreateRoute</origin></item></routeSet>' +
              '<associationSet><item><routeTableAssociationId>rtbassoc-1</routeTableAssociationId><subnetId>subnet-1</subnetId></item></associationSet>' +
              '<tagSet><item><key>Name</key><value>demo-public</value></item><item><key>crate.dev/infrastructure-uid</key><value>u1</value></item></tagSet>',
          },
        ],
      },
    };
    aws.world.roles = [
      { name: 'demo-worker', path: '/crate/', tags, policies: ['kubernetes'] },
      { name: 'of-others', path: '/crate/', tags: others, policies: ['p'] },
      { name: 'elsewhere', path: '/', tags, policies: [] },
    ];
    aws.world.profiles = [{ name: 'demo-worker', path: '/crate/', tags }];
    const found = await list();

    expect(names(found).sort()).toEqual(
      [
        'aws_vpc vpc-1 vpc-1',
        'aws_subnet subnet-1 subnet-1',
        'aws_internet_gateway igw-1 igw-1',
        'aws_eip eipalloc-1 eipalloc-1',
        'aws_nat_gateway nat-1 nat-1',
        'aws_route_table rtb-1 rtb-1',
        'aws_route r-rtb-11080289494 rtb-1_0.0.0.0/0',
        'aws_route_table_association rtbassoc-1 subnet-1/rtb-1',
        'aws_security_group sg-1 sg-1',
        'aws_vpc_security_group_ingress_rule sgr-in sgr-in',
        'aws_vpc_security_group_egress_rule sgr-out sgr-out',
        'aws_key_pair demo-1723af96 demo-1723af96',
        'aws_instance i-1 i-1',
        `aws_lb ${lb} ${lb}`,
        ...['targetgroup', 'listener'].map((kind) => {
          const arn =
            kind === 'listener' ? `${lb.replace('loadbalancer', kind)}/0467` : lb.replace('loadbalancer/net', kind);
          return `aws_lb_${kind === 'listener' ? 'listener' : 'target_group'} ${arn} ${arn}`;
        }),
        'aws_iam_role demo-worker demo-worker',
        'aws_iam_role_policy demo-worker:kubernetes demo-worker:kubernetes',
        'aws_iam_instance_profile demo-worker demo-worker',
      ].sort(),
    );
    const route = found.find(({ type }) => type === 'aws_route');
    expect(route?.tags).toEqual({ 'crate.dev/infrastructure-uid': 'u1' });
    // 15 resources in pages of two.
    expect(aws.calls.filter(({ action }) => action === 'GetResources')).toHaveLength(7);
    expect(aws.calls.every(({ authorization }) => authorization.includes('AKIDEXAMPLE'))).toBe(true);
  });

  it('leaves out what is gone but still listed, and the disks of machines', async () => {
    aws.world.resources = [
      ec2('instance', 'i-gone'),
      ec2('natgateway', 'nat-gone'),
      ec2('volume', 'vol-root'),
      ec2('volume', 'vol-loose'),
    ].map((arn) => ({ arn, tags }));
    aws.world.ec2 = {
      DescribeInstances: {
        set: 'reservationSet',
        items: [
          {
            tags,
            xml: '<instancesSet><item><instanceId>i-gone</instanceId><instanceState><name>terminated</name></instanceState></item></instancesSet>',
          },
        ],
      },
      DescribeNatGateways: {
        set: 'natGatewaySet',
        items: [{ tags, xml: '<natGatewayId>nat-gone</natGatewayId><state>deleted</state>' }],
      },
      DescribeVolumes: {
        set: 'volumeSet',
        items: [
          { tags, xml: '<volumeId>vol-root</volumeId><status>in-use</status>' },
          { tags, xml: '<volumeId>vol-loose</volumeId><status>available</status>' },
        ],
      },
    };

    expect(names(await list())).toEqual(['aws_ebs_volume vol-loose vol-loose']);
  });

  it('has volumes of claims also while a machine has them', async () => {
    const claim = (key: string): Record<string, string> => ({ ...tags, [key]: 'data' });
    const claims = [claim('CSIVolumeName'), claim('kubernetes.io/created-for/pvc/name')];
    aws.world.resources = claims.map((own, index) => ({ arn: ec2('volume', `vol-${index}`), tags: own }));
    aws.world.ec2 = {
      DescribeVolumes: {
        set: 'volumeSet',
        items: claims.map((own, index) => ({
          tags: own,
          xml: `<volumeId>vol-${index}</volumeId><status>in-use</status>`,
        })),
      },
    };

    expect(await list()).toMatchObject([
      { id: 'vol-0', isAttached: true },
      { id: 'vol-1', isAttached: true },
    ]);
  });

  it('leaves out what the tagging API lists though it was deleted', async () => {
    const listener = (of: string): string => `${of.replace('loadbalancer', 'listener')}/0467`;
    const other = lb.replace('demo/50dc', 'other/60dc');
    const group = lb.replace('loadbalancer/net', 'targetgroup');
    const deleted = [ec2('vpc', 'vpc-gone'), ec2('elastic-ip', 'eipalloc-gone'), lb, group, listener(lb)];
    const there = [ec2('vpc', 'vpc-1'), ec2('security-group-rule', 'sgr-1'), other, listener(other)];
    aws.world.resources = [...deleted, ...there].map((arn) => ({ arn, tags }));
    aws.world.gone = deleted;

    expect(names(await list()).sort()).toEqual([
      `aws_lb ${other} ${other}`,
      `aws_lb_listener ${listener(other)} ${listener(other)}`,
      'aws_vpc vpc-1 vpc-1',
      'aws_vpc_security_group_ingress_rule sgr-1 sgr-1',
    ]);
  });

  describe('of a balancer that is there', () => {
    const group = (port: number): string => lb.replace('loadbalancer/net/demo', `targetgroup/demo-${port}`);
    const listener = (id: string): string => `${lb.replace('loadbalancer', 'listener')}/${id}`;
    const listeners = async (): Promise<readonly string[]> =>
      (await list()).filter(({ type }) => type === 'aws_lb_listener').map(({ id }) => id);
    const asked = (): readonly unknown[] => aws.calls.filter(({ action }) => action === 'DescribeListeners');
    const [api, port] = [listener('0001'), listener('0002')];

    beforeEach(() => {
      aws.world.leads = { [api]: group(6443), [port]: group(30443) };
      aws.world.resources = [lb, ...Object.entries(aws.world.leads).flat()].map((arn) => ({ arn, tags }));
    });

    it('asks for no listeners where as many are listed as lead somewhere', async () => {
      expect(await listeners()).toEqual([api, port]);
      expect(asked()).toEqual([]);
    });

    it.each([
      { name: 'was deleted with its group', gone: [port, group(30443)], reason: 'a port that nobody wants any more' },
      { name: 'was deleted by somebody', gone: [port], reason: 'its group is there, and nothing leads to it' },
    ])('leaves out a listener that $name: $reason', async ({ gone }) => {
      aws.world.gone = gone;

      expect(await listeners()).toEqual([api]);
      expect(asked()).toMatchObject([{ parameters: { LoadBalancerArn: lb } }]);
    });

    it('leaves out a listener that was deleted where somebody else has added one, with a group, that carry no tags', async () => {
      const added = listener('0005');
      aws.world.leads = { ...aws.world.leads, [added]: group(8080) };
      aws.world.resources.push(...[added, group(8080)].map((arn) => ({ arn, tags: {} })));
      aws.world.gone = [port];

      expect(await listeners()).toEqual([api]);
    });

    it('leaves out those in whose place others were made, however many there are', async () => {
      const again = listener('0003');
      aws.world.leads = { ...aws.world.leads, [again]: group(30443), [listener('0004')]: group(31080) };
      aws.world.resources.push(...[again, listener('0004'), group(31080)].map((arn) => ({ arn, tags })));
      aws.world.gone = [port];

      expect(await listeners()).toEqual([api, again, listener('0004')]);
    });

    it('has none of a balancer that goes while it is looked at', async () => {
      aws.world.gone = [port];
      aws.refusals = { DescribeListeners: [{ status: 400, code: 'LoadBalancerNotFound' }] };

      expect(await listeners()).toEqual([]);
    });
  });

  it.each([
    { name: 'a snapshot of a disk', arn: ec2('snapshot', 'snap-1') },
    { name: 'an image of a machine', arn: 'arn:aws:ec2:eu-west-1::image/ami-1' },
    { name: 'a recovery point in a vault', arn: 'arn:aws:backup:eu-west-1:123456789012:recovery-point:1eb3b5e7' },
  ])('leaves out $name, which carries the tags of what it is a backup of', async ({ arn }) => {
    aws.world.resources = [{ arn, tags }];

    expect(await list()).toEqual([]);
  });

  it('leaves out rules of listeners, with which they go, whether or not those are there', async () => {
    const balancers = ['app/web/70dc', 'app/gone/80dc'].map((name) => lb.replace('net/demo/50dc', name));
    const rules = balancers.map((arn) => `${arn.replace(':loadbalancer/', ':listener-rule/')}/0467/9683`);
    aws.world.resources = [...balancers, ...rules].map((arn) => ({ arn, tags }));
    aws.world.gone = [balancers[1]!];

    expect(names(await list())).toEqual([`aws_lb ${balancers[0]} ${balancers[0]}`]);
  });

  it('asks for load balancers of the first generation where those are known, page by page', async () => {
    const classic = ['a1', 'a2', 'a3', 'gone'].map((name) => lb.replace('net/demo/50dc', name));
    aws.world.resources = classic.map((arn) => ({ arn, tags }));
    aws.world.gone = classic.slice(3);

    expect(names(await list()).sort()).toEqual(['aws_elb a1 a1', 'aws_elb a2 a2', 'aws_elb a3 a3']);
  });

  it('waits as long as AWS wants when it is throttled, and longer each time when AWS does not say', async () => {
    aws.world.resources = [{ arn: ec2('vpc', 'vpc-1'), tags }];
    aws.refusals = {
      GetResources: [
        { status: 429, code: 'ThrottledException', retryAfter: '7' },
        { status: 400, code: 'ThrottlingException' },
      ],
      DescribeInstances: [{ status: 503, code: 'RequestLimitExceeded' }],
    };

    expect(names(await list())).toEqual(['aws_vpc vpc-1 vpc-1']);
    expect(pauses).toEqual([7_000, 1_000, 500]);
  });

  it('gives up when AWS goes on to throttle: half a listing proves nothing', async () => {
    aws.refusals = {
      DescribeRouteTables: Array.from({ length: 10 }, () => ({ status: 503, code: 'RequestLimitExceeded' })),
    };

    await expect(list()).rejects.toMatchObject({ code: 'Unavailable', details: { reason: 'RateLimited' } });
    expect(pauses).toHaveLength(5);
  });

  describe('of an account with many clusters', () => {
    const iamCalls = (): number => aws.calls.filter(({ action }) => /Role|Profile/.test(action)).length;
    const own = `demo-${nameHash('u1')}-worker`;

    beforeEach(() => {
      const foreign = Array.from({ length: 200 }, (_, index) => ({ name: `c${index}-0badcafe-worker`, tags: others }));
      const all = [...foreign, { name: own, tags }].map((one) => ({ ...one, path: '/crate/', policies: ['p'] }));
      aws.world.roles = all;
      aws.world.profiles = all;
      aws.pageSize = 100;
    });
    afterEach(() => {
      aws.pageSize = 2;
    });

    it.each<{ tag: readonly [string, string] }>([
      { tag: [OWNER_TAGS.infrastructureUid, 'u1'] },
      { tag: [kubernetesClusterTag({ clusterName: 'demo', infrastructureUid: 'u1' }), 'owned'] },
    ])('asks no role of the others for what carries $tag.0', async ({ tag }) => {
      const carried = { ...tags, [tag[0]]: tag[1] };
      aws.world.roles = aws.world.roles.map((one) => (one.name === own ? { ...one, tags: carried } : one));

      expect(names(await list(tag))).toContain(`aws_iam_role ${own} ${own}`);
      // Three pages of roles and three of profiles; the tags of one each, and the policies of one.
      expect(iamCalls()).toBeLessThanOrEqual(9);
    });

    it('asks nothing of IAM for a region alone', async () => {
      await list(TAG, { regionalOnly: true });
      expect(iamCalls()).toBe(0);
    });
  });

  it('does without a role that goes while it is looked at', async () => {
    aws.world.roles = [{ name: 'going', path: '/crate/', tags, policies: [] }];
    aws.refusals = { ListRoleTags: [{ status: 404, code: 'NoSuchEntity' }] };

    expect(await list()).toEqual([]);
  });

  it('says so when the credentials may not look', async () => {
    aws.refusals = { DescribeNatGateways: [{ status: 403, code: 'UnauthorizedOperation' }] };

    await expect(list()).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('names the permission that is missing, which no other keys would mend', async () => {
    const message = `You are not authorized to perform this operation. Encoded authorization failure message: ${'x'.repeat(500)}`;
    aws.refusals = { DescribeRouteTables: [{ status: 403, code: 'UnauthorizedOperation', message }] };

    await expect(list()).rejects.toMatchObject({
      code: 'Forbidden',
      message:
        'The credentials lack the permission ec2:DescribeRouteTables: UnauthorizedOperation: You are not authorized to perform this operation',
      details: { reason: 'CredentialsRejected', remedy: expect.stringContaining('ec2:DescribeRouteTables') },
    });
  });

  it('names a missing permission of the tagging API as policies do', async () => {
    aws.refusals = { GetResources: [{ status: 400, code: 'AccessDeniedException' }] };

    await expect(list()).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('tag:GetResources'),
    });
  });

  it.each([
    { code: 'UnrecognizedClientException', reason: 'the key is not known any more, as after the account was closed' },
    { code: 'InvalidSignatureException', reason: 'the secret half is another' },
    { code: 'IncompleteSignatureException', reason: 'the key is none' },
    { code: 'ExpiredTokenException', reason: 'the session has ended' },
  ])('knows by the code $code that AWS refuses credentials: APIs of JSON answer 400', async ({ code }) => {
    aws.refusals = { GetResources: [{ status: 400, code }] };

    const error: unknown = await list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'Forbidden', message: `AWS rejected the credentials: ${code}` });
    expect(isLockedOut(error)).toBe(true);
  });

  it.each([
    {
      status: 400,
      code: 'InvalidSignatureException',
      message: 'Signature expired: 20260301T1150Z is now earlier than',
    },
    { status: 403, code: 'SignatureDoesNotMatch', message: 'Signature not yet current: 20260301T1210Z is still later' },
    { status: 400, code: 'RequestExpired', message: 'Request has expired.' },
  ])('does not blame the keys for a clock that is wrong, as $code may say', async (refusal) => {
    aws.refusals = { GetResources: [refusal] };

    const error: unknown = await list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'Unavailable',
      message: `AWS refuses what was signed at another time than its own: ${refusal.code}`,
      details: { reason: 'ClockWrong', remedy: expect.stringContaining('clock') },
    });
    expect(isLockedOut(error)).toBe(false);
  });

  it('tells keys that are refused apart from a permission that is missing', async () => {
    aws.refusals = { DescribeVolumes: [{ status: 401, code: 'AuthFailure' }] };

    await expect(list()).rejects.toMatchObject({
      code: 'Forbidden',
      message: 'AWS rejected the credentials: AuthFailure',
    });
  });

  it('says what was asked and what AWS said to it, shortened', async () => {
    const message = `Value ( 1 ) for\n parameter x is ${'very '.repeat(100)}invalid.`;
    aws.refusals = { DescribeVolumes: [{ status: 400, code: 'InvalidParameterValue', message }] };

    const error: unknown = await list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(
        /^AWS answered ec2:DescribeVolumes with InvalidParameterValue: Value \( 1 \) for parameter x is .*…$/,
      ),
    });
    expect((error as Error).message.length).toBeLessThan(300);
  });
});
