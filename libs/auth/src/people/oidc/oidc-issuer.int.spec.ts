import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually, OIDC_CLIENT, OidcTestProvider } from '@crate/testing';
import { importJWK, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { PeopleAuthenticator } from '../people-authenticator.js';
import { issuersSchema, type OidcIssuerOptions } from './issuer-options.js';
import { OidcIssuer } from './oidc-issuer.js';

let provider: OidcTestProvider;
let logger: InMemoryLogger;
let nowMs: number;
const now = (): number => nowMs;
const opened: OidcIssuer[] = [];

beforeAll(async () => {
  provider = await OidcTestProvider.start();
});
beforeEach(() => {
  logger = new InMemoryLogger();
  nowMs = Date.now();
});
afterAll(async () => {
  for (const issuer of opened) issuer.close();
  await provider.stop();
});

function optionsWith(changes: object = {}): OidcIssuerOptions {
  const own = { name: 'corporate', issuer: provider.issuer, audiences: [OIDC_CLIENT], caFile: provider.caFile };
  const { issuers } = issuersSchema.parse({ issuers: [{ ...own, ...changes }] });
  return issuers[0] as OidcIssuerOptions;
}

function anAuthenticator(changes: object = {}): PeopleAuthenticator {
  const options = optionsWith(changes);
  const issuer = new OidcIssuer(options, [options], { logger, now });
  issuer.start();
  opened.push(issuer);
  return new PeopleAuthenticator({ issuers: [issuer], now });
}

function claims(changes: Record<string, unknown> = {}): JWTPayload {
  const iat = Math.floor(nowMs / 1000);
  const own = { iss: provider.issuer, aud: OIDC_CLIENT, sub: 'vera', groups: ['team-a'] };
  return { ...own, iat, exp: iat + 600, ...changes };
}

async function sign(payload: JWTPayload, header: { kid?: string; alg?: string } = {}): Promise<string> {
  const key = provider.signingKey;
  const jwk = await importJWK(key, header.alg ?? 'RS256');
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(jwk);
}

const refusal = { code: 'Unauthenticated', message: 'Unauthorized' };

describe('a person with a token of an OpenID Connect issuer', () => {
  it('is named by the claims', async () => {
    const caller = await anAuthenticator().authenticate(await sign(claims()));
    expect(caller).toEqual({
      user: 'vera',
      groups: ['team-a', 'system:authenticated'],
      extra: { 'authentication.crate.dev/issuer': [provider.issuer] },
    });
  });

  it('is named with the prefixes, and is an administrator by the groups configured', async () => {
    const people = anAuthenticator({
      username: { claim: 'email', prefix: 'corp:' },
      groups: { claim: 'roles', prefix: 'corp:' },
      platformAdmins: ['0d9c'],
    });
    const token = await sign(claims({ email: 'vera@example.com', roles: ['0d9c', 'team-a'] }));
    expect(await people.authenticate(token)).toMatchObject({
      user: 'corp:vera@example.com',
      groups: ['corp:0d9c', 'corp:team-a', 'platform-admin', 'system:authenticated'],
    });
  });

  it('loses groups that are the platform’s own', async () => {
    const token = await sign(claims({ groups: ['system:masters', 'platform-admin', 'team-a'] }));
    const left = ['team-a', 'system:authenticated'];
    expect((await anAuthenticator().authenticate(token)).groups).toEqual(left);
    // Nor do they come about by a prefix.
    const prefixed = anAuthenticator({ groups: { claim: 'roles', prefix: 'platform-' } });
    const roles = await sign(claims({ roles: ['admin'] }));
    expect((await prefixed.authenticate(roles)).groups).toEqual(['system:authenticated']);
  });

  it('is an administrator by a group of that name where the configuration says so', async () => {
    const people = anAuthenticator({ platformAdmins: ['platform-admin'] });
    const token = await sign(claims({ groups: ['platform-admin', 'team-a'] }));
    expect((await people.authenticate(token)).groups).toEqual(['team-a', 'platform-admin', 'system:authenticated']);
  });

  it.each([
    { name: 'several audiences, one of which is ours', changes: { aud: ['another-client', OIDC_CLIENT] } },
    { name: 'a list of our audience alone', changes: { aud: [OIDC_CLIENT] } },
    { name: 'a start in the future that is within the clock skew', startsInSeconds: 9 },
  ])('may have $name', async ({ changes = {}, startsInSeconds }) => {
    const nbf = startsInSeconds === undefined ? {} : { nbf: Math.floor(nowMs / 1000) + startsInSeconds };
    const { user } = await anAuthenticator().authenticate(await sign(claims({ ...changes, ...nbf })));
    expect(user).toBe('vera');
  });

  it.each([
    { name: 'one text', groups: 'team-a', want: ['team-a', 'system:authenticated'] },
    { name: 'nothing', groups: undefined, want: ['system:authenticated'] },
  ])('may have a groups claim of $name', async ({ groups, want }) => {
    expect((await anAuthenticator().authenticate(await sign(claims({ groups })))).groups).toEqual(want);
  });
});

const strangers = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

interface Refused {
  readonly name: string;
  readonly token: () => Promise<string | undefined> | string | undefined;
  readonly options?: object;
}

const refused: readonly Refused[] = [
  { name: 'no token', token: () => undefined },
  { name: 'rubbish', token: () => 'a.b.c' },
  { name: 'a token longer than any', token: () => 'x'.repeat(100_000) },
  { name: 'another audience', token: () => sign(claims({ aud: 'another-client' })) },
  { name: 'several audiences that are all others', token: () => sign(claims({ aud: ['another', 'client'] })) },
  { name: 'an empty list of audiences', token: () => sign(claims({ aud: [] })) },
  { name: 'no audience', token: () => sign(claims({ aud: undefined })) },
  { name: 'an unknown issuer', token: () => sign(claims({ iss: 'https://elsewhere.example.com' })) },
  { name: 'an issuer that differs by a slash', token: () => sign(claims({ iss: `${provider.issuer}/` })) },
  { name: 'no issuer', token: () => sign(claims({ iss: undefined })) },
  { name: 'an end that has passed', token: () => sign(claims({ exp: Math.floor(nowMs / 1000) - 11 })) },
  { name: 'no end', token: () => sign(claims({ exp: undefined })) },
  { name: 'a start in the future', token: () => sign(claims({ nbf: Math.floor(nowMs / 1000) + 60 })) },
  { name: 'a start just beyond the clock skew', token: () => sign(claims({ nbf: Math.floor(nowMs / 1000) + 11 })) },
  { name: 'an unknown key', token: () => sign(claims(), { kid: 'unknown' }) },
  { name: 'no person', token: () => sign(claims({ sub: undefined })) },
  { name: 'an empty name', token: () => sign(claims({ sub: '' })) },
  { name: 'a name that is the platform’s own', token: () => sign(claims({ sub: 'system:cloud-mgmt' })) },
  { name: 'a name of several hundred letters', token: () => sign(claims({ sub: 'x'.repeat(300) })) },
  { name: 'groups that are no names', token: () => sign(claims({ groups: [{ name: 'team-a' }] })) },
  { name: 'a signature of another kind', token: () => sign(claims(), { alg: 'RS512' }) },
  { name: 'no signature', token: () => new UnsecuredJWT(claims()).encode() },
  {
    name: 'an HMAC with the public key as its secret',
    token: () => {
      const { n, e, kty, kid } = provider.signingKey;
      const secret = createHash('sha256').update(JSON.stringify({ e, kty, n })).digest();
      return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
    },
  },
  {
    name: 'the signature of a stranger',
    token: () =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: provider.signingKey.kid }).sign(strangers),
  },
  {
    name: 'changed claims',
    token: async () => {
      const [header, , signature] = (await sign(claims())).split('.');
      return [header, Buffer.from(JSON.stringify(claims({ sub: 'ada' }))).toString('base64url'), signature].join('.');
    },
  },
  {
    name: 'an address that nobody verified',
    token: () => sign(claims({ email: 'ada@example.com', email_verified: false })),
    options: { username: { claim: 'email' } },
  },
  {
    name: 'a required claim with another value',
    token: () => sign(claims({ hd: 'example.org' })),
    options: { requiredClaims: { hd: 'example.com' } },
  },
];

describe('a token is refused, always in the same words,', () => {
  it.each(refused)('with $name', async ({ token, options }) => {
    await expect(anAuthenticator(options).authenticate(await token())).rejects.toMatchObject(refusal);
  });

  it('once it expired, also one that was accepted before', async () => {
    const people = anAuthenticator();
    const token = await sign(claims());
    await people.authenticate(token);
    nowMs += 609_000;
    await people.authenticate(token); // Within the clock skew.
    nowMs += 2_000;
    await expect(people.authenticate(token)).rejects.toMatchObject(refusal);
  });
});

describe('the keys of an issuer', () => {
  it('are found when it rotates them, and asked for again at most every ten seconds', async () => {
    const people = anAuthenticator();
    const old = await sign(claims());
    await people.authenticate(old);
    await provider.rotateKeys();
    const fresh = await sign(claims({ sub: 'nora' }));
    await expect(people.authenticate(fresh)).rejects.toMatchObject(refusal);
    nowMs += 10_001;
    const before = provider.requests.length;
    const answers = await Promise.all(Array.from({ length: 50 }, () => people.authenticate(fresh)));
    expect(answers.every(({ user }) => user === 'nora')).toBe(true);
    expect(provider.requests.slice(before)).toEqual(['/.well-known/openid-configuration', '/jwks']);
    await people.authenticate(old);
  });

  it('that were taken away verify nothing any more, and what they verified is forgotten', async () => {
    const people = anAuthenticator();
    const old = await sign(claims());
    await people.authenticate(old);
    await provider.rotateKeys({ dropOld: true });
    nowMs += 10_001;
    await people.authenticate(await sign(claims({ sub: 'nora' })));
    await expect(people.authenticate(old)).rejects.toMatchObject(refusal);
  });

  it('serve for a day while the issuer is down', async () => {
    const people = anAuthenticator();
    await people.authenticate(await sign(claims()));
    await provider.pause();
    try {
      nowMs += 23 * 3_600_000;
      await people.authenticate(await sign(claims({ sub: 'nora' })));
      nowMs += 3_600_001;
      await expect(people.authenticate(await sign(claims({ sub: 'zoe' })))).rejects.toMatchObject(refusal);
    } finally {
      await provider.resume();
    }
  });

  it('of one that is down at the start are read once it is up, and nobody waits for it meanwhile', async () => {
    await provider.pause();
    const people = anAuthenticator();
    await expect(people.authenticate(await sign(claims()))).rejects.toMatchObject(refusal);
    expect(logger.lines.map(({ message }) => message)).toContain('Failing to read the keys of the issuer');
    await provider.resume();
    await eventually(async () =>
      expect(await people.authenticate(await sign(claims()))).toMatchObject({ user: 'vera' }),
    );
  });
});

describe('an issuer that does not prove to be the one configured', () => {
  it.each([
    {
      name: 'its discovery document names another issuer',
      options: () => ({ issuer: `${provider.issuer.replace('127.0.0.1', 'localhost')}` }),
    },
    { name: 'its certificate is from an unknown authority', options: () => ({ caFile: undefined }) },
  ])('is not asked for keys: $name', async ({ options }) => {
    const changes = options();
    const token = await sign(claims({ iss: optionsWith(changes).issuer }));
    await expect(anAuthenticator(changes).authenticate(token)).rejects.toMatchObject(refusal);
  });
});
