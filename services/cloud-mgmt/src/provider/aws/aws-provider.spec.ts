import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readArn } from './arn.js';
import { isLockedOut } from '../credentials-rejected.js';
import { AwsProvider } from './aws-provider.js';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const access = { accountId: '123456789012', credentials, region: 'eu-west-1' };
const { signal } = new AbortController();

interface Seen {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let provider: AwsProvider;
let seen: Seen[];
let answers: { readonly status: number; readonly body: unknown }[];

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ headers: request.headers, body });
      const { status, body: answer } = answers.shift() ?? { status: 500, body: {} };
      response.writeHead(status).end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  provider = new AwsProvider(() => `http://127.0.0.1:${port}/`);
});
afterAll(() => void server.close());
beforeEach(() => {
  seen = [];
  answers = [];
});

const identity = (Account: string): unknown => ({
  GetCallerIdentityResponse: { GetCallerIdentityResult: { Account } },
});

describe('AwsProvider.checkCredentials', () => {
  it('is content with credentials of the account', async () => {
    answers = [{ status: 200, body: identity('123456789012') }];
    await provider.checkCredentials(access, signal);

    expect(seen[0]?.body).toContain('Action=GetCallerIdentity');
    expect(seen[0]?.headers.authorization).toContain('AKIDEXAMPLE');
  });

  it.each([
    {
      name: 'of another account',
      given: access,
      answer: { status: 200, body: identity('999999999999') },
      code: 'Forbidden',
    },
    {
      name: 'that AWS refuses',
      given: access,
      answer: { status: 403, body: { __type: 'x#InvalidClientTokenId' } },
      code: 'Forbidden',
    },
    { name: 'that are missing', given: { ...access, credentials: undefined }, answer: undefined, code: 'Forbidden' },
    { name: 'while AWS is in trouble', given: access, answer: { status: 503, body: {} }, code: 'Unavailable' },
  ])('refuses credentials $name', async ({ given, answer, code }) => {
    answers = answer ? [answer] : [];
    const error: unknown = await provider.checkCredentials(given, signal).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain(credentials.secretAccessKey);
  });

  it.each([
    { code: 'Blocked', reason: 'AccountBlocked', lockedOut: true },
    { code: 'OptInRequired', reason: 'NotSubscribed', lockedOut: true },
    { code: 'PendingVerification', reason: 'AccountPending', lockedOut: false },
  ])('does not blame the keys for $code of the account', async ({ code, reason, lockedOut }) => {
    answers = [{ status: 403, body: { __type: code, message: 'Ask AWS.' } }];
    const error: unknown = await provider.checkCredentials(access, signal).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'Forbidden', details: { reason } });
    expect(String(error)).toContain(`${code}: Ask AWS`);
    expect(isLockedOut(error)).toBe(lockedOut);
  });

  it('tells that AWS is in trouble from AWS that is not reached', async () => {
    answers = [{ status: 503, body: { __type: 'ServiceUnavailable' } }];

    await expect(provider.checkCredentials(access, signal)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('ServiceUnavailable'),
      details: { reason: 'ProviderUnavailable' },
    });
  });

  it('says Unavailable when nobody answers', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const nobody = new AwsProvider(() => `http://127.0.0.1:${port}/`);

    await expect(nobody.checkCredentials(access, signal)).rejects.toMatchObject({
      code: 'Unavailable',
      message: `AWS does not answer at 127.0.0.1:${port} (ECONNREFUSED)`,
      details: { remedy: expect.stringContaining('HTTPS_PROXY') },
    });
  });
});

describe('AwsProvider.openRuntime', () => {
  it('gives Terraform the credentials of the account and nothing of the machine', async () => {
    const runtime = await provider.openRuntime(access);

    expect(runtime.env).toMatchObject({ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_EC2_METADATA_DISABLED: 'true' });
    expect(runtime.secrets).toEqual([credentials.secretAccessKey]);
  });
});

describe('readArn', () => {
  const lb = 'arn:aws:elasticloadbalancing:eu-west-1:1:loadbalancer/net/demo/50dc';

  it.each([
    ['arn:aws:ec2:eu-west-1:1:instance/i-1', { type: 'aws_instance', id: 'i-1', importId: 'i-1' }],
    ['arn:aws:ec2:eu-west-1:1:volume/vol-1', { type: 'aws_ebs_volume', id: 'vol-1', importId: 'vol-1' }],
    ['arn:aws:ec2:eu-west-1:1:natgateway/nat-1', { type: 'aws_nat_gateway', id: 'nat-1', importId: 'nat-1' }],
    [lb, { type: 'aws_lb', id: lb, importId: lb }],
    ['arn:aws:s3:::bucket', { type: 's3/bucket', id: 'arn:aws:s3:::bucket', importId: 'arn:aws:s3:::bucket' }],
  ])('%s', (arn, want) => {
    expect(readArn(arn)).toEqual(want);
  });
});
