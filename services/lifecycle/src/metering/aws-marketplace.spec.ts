import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { signedHeaders } from '@crate/aws-signature';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AwsMarketplace } from './aws-marketplace.js';
import { RoleCredentials } from './role-credentials.js';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const HOUR = new Date('2026-11-22T11:00:00Z');
const USAGE = { dimension: 'clusters', hour: HOUR, quantity: 7 };
const { signal } = new AbortController();

let server: Server;
let base: string;
let directory: string;
let calls: Call[];
/** Of AWS Marketplace, one for each call. */
let answers: { readonly status: number; readonly body: unknown }[];
let hasRole: boolean;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-metering-'));
  await writeFile(join(directory, 'token'), 'a-token-of-the-account\n');
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      calls.push({ method, path, headers, body });
      const { status, body: answer } = answerTo(path, headers);
      response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  [calls, answers, hasRole] = [[], [], true];
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

function answerTo(path: string, headers: IncomingHttpHeaders): { readonly status: number; readonly body: unknown } {
  const keys = { AccessKeyId: 'ASIAEXAMPLE', SecretAccessKey: 'a-secret' };
  if (path.endsWith('/api/token')) return { status: 200, body: 'metadata-token' };
  if (path.startsWith('/latest/meta-data')) {
    if (!hasRole || headers['x-aws-ec2-metadata-token'] !== 'metadata-token') return { status: 401, body: '' };
    if (path.endsWith('/security-credentials/')) return { status: 200, body: 'the-role' };
    return { status: 200, body: { ...keys, Token: 'of-the-machine', Expiration: '2026-11-22T18:00:00Z' } };
  }
  if (path === '/sts') {
    const Credentials = { ...keys, SessionToken: 'of-the-account', Expiration: 1_795_000_000 };
    const AssumeRoleWithWebIdentityResult = { Credentials };
    return { status: 200, body: { AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult } } };
  }
  return answers.shift() ?? { status: 500, body: {} };
}

function roles(roleArn?: string, now = (): number => HOUR.getTime()): RoleCredentials {
  const webIdentity = roleArn === undefined ? undefined : { roleArn, tokenFile: join(directory, 'token') };
  return new RoleCredentials({ endpoints: { metadata: base, sts: `${base}/sts` }, webIdentity, now });
}

function aMarketplace(credentials = roles()): AwsMarketplace {
  return new AwsMarketplace({
    productCode: 'abc123',
    metering: { url: `${base}/metering`, region: 'eu-west-1' },
    entitlement: { url: `${base}/entitlement`, region: 'us-east-1' },
    credentials,
  });
}

const toMarketplace = (): Call[] => calls.filter(({ path }) => path === '/metering' || path === '/entitlement');

describe('AwsMarketplace', () => {
  it('meters an hour, signed with the role of the machine', async () => {
    answers = [{ status: 200, body: { MeteringRecordId: 'record-1' } }];
    expect(await aMarketplace().meter(USAGE, signal)).toBe('record-1');

    const [call] = toMarketplace();
    expect(call?.headers['x-amz-target']).toBe('AWSMPMeteringService.MeterUsage');
    expect(JSON.parse(call?.body ?? '')).toEqual({
      ProductCode: 'abc123',
      Timestamp: HOUR.getTime() / 1_000,
      UsageDimension: 'clusters',
      UsageQuantity: 7,
    });
    const time = String(call?.headers['x-amz-date']);
    const again = signedHeaders({
      service: 'aws-marketplace',
      region: 'eu-west-1',
      url: `${base}/metering`,
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSMPMeteringService.MeterUsage' },
      body: call?.body ?? '',
      credentials: { accessKeyId: 'ASIAEXAMPLE', secretAccessKey: 'a-secret', sessionToken: 'of-the-machine' },
      now: new Date(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')),
    });
    expect(call?.headers.authorization).toBe(again['authorization']);
  });

  it('takes the role of a service account by its token', async () => {
    answers = [{ status: 200, body: {} }];
    await aMarketplace(roles('arn:aws:iam::123456789012:role/metering')).register(signal);

    expect(calls[0]?.body).toContain('WebIdentityToken=a-token-of-the-account&'.slice(0, -1));
    expect(toMarketplace()[0]?.headers['x-amz-security-token']).toBe('of-the-account');
    expect(JSON.parse(toMarketplace()[0]?.body ?? '')).toEqual({ ProductCode: 'abc123', PublicKeyVersion: 1 });
  });

  it('reads all pages of what was bought', async () => {
    const of = (IntegerValue: number, NextToken?: string): unknown => ({
      Entitlements: [{ Dimension: 'clusters', Value: { IntegerValue }, ExpirationDate: 1_800_000_000 }],
      NextToken,
    });
    answers = [
      { status: 200, body: of(5, 'more') },
      { status: 200, body: of(6) },
    ];
    const found = await aMarketplace().entitlements(signal);
    expect(found.map(({ quantity }) => quantity)).toEqual([5, 6]);
    expect(found[0]?.expiresAt).toEqual(new Date(1_800_000_000_000));
    expect(JSON.parse(toMarketplace()[1]?.body ?? '')).toMatchObject({ NextToken: 'more' });
    expect(toMarketplace()[0]?.headers['x-amz-target']).toBe('AWSMPEntitlementService.GetEntitlements');
  });

  it.each([
    { name: 'throttled', status: 400, body: { __type: 'ThrottlingException' }, code: 'Unavailable' },
    { name: 'in trouble', status: 500, body: { __type: 'InternalServiceErrorException' }, code: 'Unavailable' },
    {
      name: 'not sold to this account yet',
      status: 400,
      body: { __type: 'a#CustomerNotEntitledException' },
      code: 'Unavailable',
    },
    { name: 'not sure who asks', status: 400, body: { __type: 'UnrecognizedClientException' }, code: 'Unavailable' },
    {
      name: 'asked without the permission',
      status: 400,
      body: { __type: 'AccessDeniedException' },
      code: 'Unavailable',
    },
    {
      name: 'asked for a product by a wrong code',
      status: 400,
      body: { __type: 'InvalidProductCodeException' },
      code: 'Unavailable',
    },
    { name: 'behind a proxy that answers', status: 403, body: '<html>Blocked</html>', code: 'Unavailable' },
    { name: 'told another number', status: 400, body: { __type: 'DuplicateRequestException' }, code: 'Forbidden' },
    { name: 'told too late', status: 400, body: { __type: 'TimestampOutOfBoundsException' }, code: 'Forbidden' },
    {
      name: 'told of what it does not sell',
      status: 400,
      body: { __type: 'InvalidUsageDimensionException' },
      code: 'Forbidden',
    },
  ])('knows whether to try again when it is $name', async ({ status, body, code }) => {
    answers = [{ status, body }];
    await expect(aMarketplace().meter(USAGE, signal)).rejects.toMatchObject({ code });
  });

  it('says that there is no role, without a word of secrets', async () => {
    hasRole = false;
    await expect(aMarketplace().meter(USAGE, signal)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('The machine has no role'),
    });
    expect(toMarketplace()).toEqual([]);
  });

  it('keeps a role until shortly before it ends', async () => {
    let now = HOUR.getTime();
    const credentials = roles(undefined, () => now);
    const asks = async (): Promise<number> => {
      calls = [];
      await credentials.get(signal);
      return calls.length;
    };
    expect([await asks(), await asks()]).toEqual([3, 0]);
    now = Date.parse('2026-11-22T17:56:00Z');
    expect(await asks()).toBe(3);
  });
});
