import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readArn } from './arn.js';
import { AwsProvider } from './aws-provider.js';
import { AwsStandIn } from './testing/aws-stand-in.js';

const ACCESS = {
  accountId: '123456789012',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  region: 'eu-west-1',
};
const { signal } = new AbortController();

let aws: AwsStandIn;
beforeAll(async () => {
  aws = await AwsStandIn.start();
});
afterAll(() => aws.close());

describe('what is in a network', () => {
  it('is listed with its tags, page by page, without what goes with the network', async () => {
    const within = { 'vpc-id': 'vpc-1' };
    const group = (id: string, name: string): { tags: typeof within; xml: string } => ({
      tags: within,
      xml: `<groupId>${id}</groupId><groupName>${name}</groupName>`,
    });
    const tagged = '<tagSet><item><key>Name</key><value>by hand</value></item></tagSet>';
    const eni = { tags: within, xml: `<networkInterfaceId>eni-1</networkInterfaceId>${tagged}` };
    const other = { tags: { 'vpc-id': 'vpc-2' }, xml: '<networkInterfaceId>eni-2</networkInterfaceId>' };
    aws.world.ec2 = {
      DescribeNetworkInterfaces: { set: 'networkInterfaceSet', items: [eni, other] },
      DescribeSecurityGroups: {
        set: 'securityGroupInfo',
        items: [group('sg-0', 'default'), group('sg-1', 'one'), group('sg-2', 'two')],
      },
    };
    const found = await new AwsProvider(() => aws.url).listInNetwork(ACCESS, 'vpc-1', signal);
    expect(found.map(({ type, id, tags }) => [type, id, tags])).toEqual([
      ['aws_network_interface', 'eni-1', { Name: 'by hand' }],
      ['aws_security_group', 'sg-1', {}],
      ['aws_security_group', 'sg-2', {}],
    ]);
  });
});

describe('ARNs of what clusters make', () => {
  it.each([
    ['loadbalancer/a0f1d7c1e5b434b8e', 'aws_elb', 'a0f1d7c1e5b434b8e'],
    ['loadbalancer/net/a0f1/50dc', 'aws_lb', 'arn:aws:elasticloadbalancing:eu-west-1:1:loadbalancer/net/a0f1/50dc'],
  ])('%s is %s', (resource, type, importId) => {
    expect(readArn(`arn:aws:elasticloadbalancing:eu-west-1:1:${resource}`)).toMatchObject({ type, importId });
  });

  it('volumes are known by their id', () => {
    const volume = { type: 'aws_ebs_volume', id: 'vol-1', importId: 'vol-1' };
    expect(readArn('arn:aws:ec2:eu-west-1:1:volume/vol-1')).toEqual(volume);
  });
});
