import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, OIDC_CLIENT, OidcTestProvider } from '@crate/testing';
import { stringify } from 'yaml';
import type { ApiAnswer } from '../testing/api-call.js';
import { PlatformBench } from '../testing/platform-bench.js';

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';

let bench: PlatformBench;
let corporate: OidcTestProvider;
let partner: OidcTestProvider;
let directory: string;

// One story on one platform, which starts while one of its issuers is down.
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-people-'));
  [bench, corporate, partner] = await Promise.all([
    PlatformBench.start(),
    OidcTestProvider.start(),
    OidcTestProvider.start(),
  ]);
  const prefixes = { username: { prefix: 'partner:' }, groups: { prefix: 'partner:' } };
  const issuers = [
    { ...trust('corporate', corporate), platformAdmins: ['cloud-team'], login: { clientId: OIDC_CLIENT } },
    { ...trust('partner', partner), ...prefixes },
  ];
  const issuersFile = join(directory, 'issuers.yaml');
  await writeFile(issuersFile, stringify({ issuers }));
  await partner.pause();
  await bench.startLifecycle({ authentication: { issuersFile } });
});
afterAll(async () => {
  await bench.close();
  await Promise.all([corporate.stop(), partner.stop()]);
  await rm(directory, { recursive: true, force: true });
});

function trust(name: string, { issuer, caFile }: OidcTestProvider): object {
  return { name, issuer, caFile, audiences: [OIDC_CLIENT] };
}

function tokenOf(provider: OidcTestProvider, claims: object = {}): string {
  return provider.sign({ sub: 'vera', groups: ['team-a'], ...claims });
}

async function whoAmI(token: string | undefined): Promise<ApiAnswer> {
  return bench.call({ method: 'POST', path: REVIEWS, body: {}, token });
}

describe('the front door', () => {
  it('knows people of an issuer, and administrators by its groups', async () => {
    const { body } = await whoAmI(tokenOf(corporate));
    expect(body['status']).toEqual({
      userInfo: {
        username: 'vera',
        groups: ['team-a', 'system:authenticated'],
        extra: { 'authentication.crate.dev/issuer': [corporate.issuer] },
      },
    });
    const project = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name: 'team-a' } };
    const create = async (groups: string[]): Promise<number> => {
      const token = tokenOf(corporate, { groups });
      return (await bench.call({ method: 'POST', path: PROJECTS, body: project, token })).status;
    };
    expect([await create(['team-a']), await create(['cloud-team'])]).toEqual([403, 201]);
  });

  it('carries out nothing as somebody else', async () => {
    const token = tokenOf(corporate, { groups: ['cloud-team'] });
    const project = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name: 'team-b' } };
    await bench.call({ method: 'POST', path: PROJECTS, body: project, token });
    const path = `${PROJECTS}/team-b`;
    const { status, body } = await bench.call({
      method: 'DELETE',
      path,
      token,
      headers: { 'impersonate-user': 'bob' },
    });
    expect([status, body['message']]).toEqual([
      403,
      'users "bob" is forbidden: User "vera" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
    const { body: left } = await bench.call({ path, token });
    expect(left['metadata'] as object).not.toHaveProperty('deletionTimestamp');
  });

  it('knows people of the local issuer beside them', async () => {
    expect((await whoAmI(bench.tokenFor('team-a'))).body['status']).toMatchObject({ userInfo: { username: 'ada' } });
  });

  it('started although an issuer was down, and knows its people once it is up', async () => {
    expect((await whoAmI(tokenOf(partner))).status).toBe(401);
    await partner.resume();
    await eventually(
      async () => {
        const { body } = await whoAmI(tokenOf(partner));
        expect(body['status']).toMatchObject({
          userInfo: { username: 'partner:vera', groups: expect.arrayContaining(['partner:team-a']) },
        });
      },
      { timeoutMs: 60_000 },
    );
  });

  it('does not let an issuer name people of another', async () => {
    expect((await whoAmI(tokenOf(corporate, { sub: 'partner:vera' }))).status).toBe(401);
    const { body } = await whoAmI(tokenOf(corporate, { groups: ['partner:team-a', 'team-a'] }));
    expect(body['status']).toMatchObject({ userInfo: { groups: ['team-a', 'system:authenticated'] } });
  });

  it('says the same of every bad credential; why is in the log', async () => {
    const good = tokenOf(corporate);
    const bad = [
      undefined,
      'nonsense',
      `${good}x`,
      tokenOf(corporate, { aud: 'another' }),
      tokenOf(corporate, { iss: 'https://unknown.example.com' }),
      tokenOf(corporate, { sub: 'system:admin' }),
      `crate_${'0'.repeat(65)}`,
    ];
    const answers = await Promise.all(bad.map((token) => whoAmI(token)));
    const seen = answers.map(({ status, body, headers }) => {
      const { date, 'x-trace-id': trace, ...rest } = headers;
      expect([typeof date, typeof trace]).toEqual(['string', 'string']);
      expect(body['details']).toEqual({ traceId: trace });
      return JSON.stringify({ status, body: { ...body, details: {} }, rest });
    });
    expect(new Set(seen).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    const reasons = bench.logger.lines
      .filter(({ message }) => message === 'Refusing a token')
      .map(({ fields }) => fields?.['reason']);
    expect(reasons).toEqual(
      expect.arrayContaining(['Unknown issuer', 'Reserved user name', 'Not a token of an API key']),
    );
    expect(JSON.stringify(bench.logger.lines)).not.toContain(good);
  });

  it('tells whoever asks how to sign in', async () => {
    const { status, body } = await bench.call({ path: '/.well-known/crate-login' });
    expect([status, body]).toEqual([
      200,
      {
        issuers: [
          {
            name: 'corporate',
            issuer: corporate.issuer,
            clientId: OIDC_CLIENT,
            scopes: ['openid', 'profile', 'offline_access'],
            certificateAuthority: corporate.ca,
          },
        ],
      },
    ]);
  });
});
