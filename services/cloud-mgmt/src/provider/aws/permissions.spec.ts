import { provisionerPolicies } from '@crate/infra-aws';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AwsProvider } from './aws-provider.js';
import { AwsStandIn, type StandInCall } from './testing/aws-stand-in.js';

const TAG = ['crate.dev/managed-by', 'crate'] as const;
const tags = { 'crate.dev/managed-by': 'crate' };
const ACCESS = {
  accountId: '123456789012',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  region: 'eu-west-1',
};
/** The services that IAM calls otherwise than signatures do. */
const NAMES: Readonly<Record<string, string>> = { tagging: 'tag' };

let aws: AwsStandIn;
beforeAll(async () => {
  aws = await AwsStandIn.start();
});
afterAll(() => aws.close());

/** As policies write it; the service is in the scope of the signature. */
function actionOf({ action, authorization }: StandInCall): string {
  const [, service = ''] = /\/([a-z0-9]+)\/aws4_request/.exec(authorization) ?? [];
  return `${NAMES[service] ?? service}:${action}`;
}

describe('the policies of an account', () => {
  it('let Crate ask what it asks', async () => {
    aws.world.resources = [
      'ec2:eu-west-1:1:vpc/vpc-1',
      'elasticloadbalancing:eu-west-1:1:loadbalancer/net/a/1',
      'elasticloadbalancing:eu-west-1:1:listener/net/a/1/2',
    ].map((resource) => ({ arn: `arn:aws:${resource}`, tags }));
    aws.world.roles = [{ name: 'workers', path: '/crate/', tags, policies: ['kubernetes'] }];
    aws.world.profiles = [{ name: 'workers', path: '/crate/', tags }];
    const provider = new AwsProvider(() => aws.url);
    const { signal } = new AbortController();
    await provider.listByTag(ACCESS, TAG, signal);
    await provider.listInNetwork(ACCESS, 'vpc-1', signal);

    const { look, access } = provisionerPolicies();
    const granted = new Set([look, access].flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action)));
    const asked = [...new Set(aws.calls.map(actionOf))];
    expect(asked.length).toBeGreaterThan(12);
    expect(asked).toContain('elasticloadbalancing:DescribeListeners');
    expect(asked.filter((action) => !granted.has(action))).toEqual([]);
  });
});
