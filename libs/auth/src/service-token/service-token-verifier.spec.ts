import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '@crate/resource-client';
import jwt from 'jsonwebtoken';
import { CALL_MATRIX, SCOPES, SERVICES, type Scope, type ServiceName } from '../call-matrix.js';
import { generateKeyPair, parseSigningKey } from '../keys/key-pair.js';
import { rotateKey } from '../keys/rotate-key.js';
import { ServiceRegistry } from '../service-registry.js';
import { KeyRing } from '../testing/key-ring.js';
import { ServiceTokenIssuer } from './service-token-issuer.js';
import { ServiceTokenVerifier } from './service-token-verifier.js';
import type { ServiceTokenClaims } from './service-token.js';

const ada: Caller = { user: 'ada', groups: ['team-a'] };

let ring: KeyRing;
let registry: ServiceRegistry;

beforeEach(async () => {
  ring = await KeyRing.make(SERVICES);
  registry = new ServiceRegistry();
});

afterEach(async () => ring.remove());

function issuer(service: string): ServiceTokenIssuer {
  return new ServiceTokenIssuer({ service, keys: ring.store(service), registry, now: ring.now });
}

function verifier(service: string): ServiceTokenVerifier {
  return new ServiceTokenVerifier({ service, keys: ring.store(service), registry, now: ring.now });
}

const edges = SERVICES.flatMap((from) => SERVICES.map((to): [ServiceName, ServiceName] => [from, to]));
const allowed = edges.filter(([from, to]) => CALL_MATRIX[from].includes(to));
const forbiddenEdges = edges.filter(([from, to]) => !CALL_MATRIX[from].includes(to));

/** A token signed with the caller's real key, whatever its issuer would say. */
function signed(from: string, claims: Partial<ServiceTokenClaims>, drop: readonly string[] = []): string {
  const { kid, privateKey } = ring.store(from).signingKey();
  const noTimestamp = drop.includes('iat');
  return jwt.sign(claimsFor(from, claims, drop), privateKey, { algorithm: 'ES256', keyid: kid, noTimestamp });
}

function claimsFor(from: string, claims: Partial<ServiceTokenClaims>, drop: readonly string[] = []): object {
  const iat = Math.floor(ring.nowMs / 1000);
  const all = {
    iss: from,
    sub: from,
    aud: 'policy-mgmt',
    scope: SCOPES.join(' '),
    iat,
    exp: iat + 300,
    jti: 'a-token',
  };
  return Object.fromEntries(Object.entries({ ...all, ...claims }).filter(([name]) => !drop.includes(name)));
}

describe('the call matrix', () => {
  it.each(allowed)('lets %s call %s for the person it acts for', (from, to) => {
    const scope = registry.scopes(from, to)[0] as Scope;
    const { caller } = verifier(to).verify(issuer(from).issue(to, ada), scope);
    expect(caller).toEqual({ ...ada, service: from });
  });

  it.each(forbiddenEdges)('refuses %s calling %s, though the signature is good', (from, to) => {
    for (const scope of SCOPES) {
      expect(() => verifier(to).verify(signed(from, { aud: to }), scope)).toThrow(
        expect.objectContaining({ code: 'Forbidden', message: 'Forbidden' }),
      );
    }
  });

  it.each(forbiddenEdges)('does not even sign for %s calling %s', (from, to) => {
    expect(() => issuer(from).issue(to, ada)).toThrow(expect.objectContaining({ code: 'Forbidden' }));
  });

  it('grants no more than the edge has, whatever the token says', () => {
    const token = signed('cloud-mgmt', {});
    expect(verifier('policy-mgmt').verify(token, 'policy:review').caller.service).toBe('cloud-mgmt');
    expect(() => verifier('policy-mgmt').verify(token, 'resources:write')).toThrow(
      expect.objectContaining({ code: 'Forbidden' }),
    );
  });

  it('grants no more than the token has, whatever the edge allows', () => {
    const token = signed('lifecycle', { scope: 'resources:read policy:reviewer' });
    for (const scope of ['resources:write', 'policy:review'] as const) {
      expect(() => verifier('policy-mgmt').verify(token, scope)).toThrow(
        expect.objectContaining({ code: 'Forbidden' }),
      );
    }
  });

  it('trusts a service that a deployment adds, on its own edges only', async () => {
    const billing = {
      name: 'billing',
      groups: ['billing.example.com'],
      callers: { lifecycle: ['resources:read'] },
    } as const;
    registry = new ServiceRegistry([billing]);
    await rotateKey(ring.directories, 'billing');

    expect(verifier('billing').verify(issuer('lifecycle').issue('billing', ada), 'resources:read')).toBeDefined();
    expect(() => issuer('lifecycle').issue('billing', ada)).not.toThrow();
    expect(() => verifier('policy-mgmt').verify(signed('billing', {}), 'policy:review')).toThrow(
      expect.objectContaining({ code: 'Forbidden' }),
    );
  });
});

describe('a token that does not hold', () => {
  const publicPem = (service: string): string =>
    createPublicKey(ring.store(service).signingKey().privateKey).export({ type: 'spki', format: 'pem' }).toString();
  const kidOf = (service: string): string => ring.store(service).signingKey().kid;
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const nowSeconds = (): number => Math.floor(ring.nowMs / 1000);

  const rows: { name: string; reason: string; token: () => string | undefined }[] = [
    { name: 'no token', reason: 'a call must say who makes it', token: () => undefined },
    { name: 'rubbish', reason: 'it is no JWT', token: () => 'a.b.c' },
    {
      name: 'expired',
      reason: 'five minutes bound the use of a stolen token',
      token: () => signed('lifecycle', { iat: nowSeconds() - 310, exp: nowSeconds() - 10 }),
    },
    {
      name: 'not yet valid',
      reason: 'a token from the future would outlive its five minutes',
      token: () => signed('lifecycle', { iat: nowSeconds() + 60, exp: nowSeconds() + 120 }),
    },
    {
      name: 'another audience',
      reason: 'a receiver must not replay it',
      token: () => signed('lifecycle', { aud: 'cloud-mgmt' }),
    },
    {
      name: 'several audiences',
      reason: 'one token is for one receiver',
      token: () => signed('lifecycle', { aud: ['policy-mgmt', 'cloud-mgmt'] as unknown as string }),
    },
    {
      name: 'an announcement',
      reason: 'everyone may hear it, so it must open no door',
      token: () => issuer('cloud-mgmt').issueAnnouncement(),
    },
    {
      name: 'a life of six minutes',
      reason: 'no issuer may grant itself more than five',
      token: () => signed('lifecycle', { exp: nowSeconds() + 360 }),
    },
    { name: 'no end', reason: 'it would live for ever', token: () => signed('lifecycle', {}, ['exp']) },
    { name: 'no beginning', reason: 'its life cannot be measured', token: () => signed('lifecycle', {}, ['iat']) },
    { name: 'no id', reason: 'the audit log could not name it', token: () => signed('lifecycle', {}, ['jti']) },
    {
      name: "another service's name",
      reason: 'the key of one service does not speak for another',
      token: () => {
        const { privateKey } = ring.store('cloud-mgmt').signingKey();
        return jwt.sign(claimsFor('lifecycle', {}), privateKey, { algorithm: 'ES256', keyid: kidOf('lifecycle') });
      },
    },
    {
      name: "another service's key id",
      reason: 'a key counts for its own service only',
      token: () => {
        const { privateKey, kid } = ring.store('cloud-mgmt').signingKey();
        return jwt.sign(claimsFor('lifecycle', {}), privateKey, { algorithm: 'ES256', keyid: kid });
      },
    },
    {
      name: 'another subject',
      reason: 'issuer and subject are the same service',
      token: () => signed('cloud-mgmt', { sub: 'lifecycle' }),
    },
    {
      name: 'a foreign key',
      reason: 'nobody trusts it',
      token: () => {
        const { privateKey, kid } = parseSigningKey(generateKeyPair().privatePem);
        return jwt.sign(claimsFor('lifecycle', {}), privateKey, { algorithm: 'ES256', keyid: kid });
      },
    },
    {
      name: 'a foreign key under a trusted id',
      reason: 'an id proves nothing',
      token: () => {
        const { privateKey } = parseSigningKey(generateKeyPair().privatePem);
        return jwt.sign(claimsFor('lifecycle', {}), privateKey, { algorithm: 'ES256', keyid: kidOf('lifecycle') });
      },
    },
    {
      name: 'a key id that leaves the trust directory',
      reason: 'what the token says must not choose a file',
      token: () => signed('lifecycle', { iss: '../private/lifecycle', sub: '../private/lifecycle' }),
    },
    {
      name: 'alg none',
      reason: 'an unsigned token proves nothing',
      token: () =>
        `${encoded({ alg: 'none', typ: 'JWT', kid: kidOf('lifecycle') })}.${encoded(claimsFor('lifecycle', {}))}.`,
    },
    {
      name: 'HS256 with the public key as secret',
      reason: 'everyone knows the public key',
      token: () => {
        const head = encoded({ alg: 'HS256', typ: 'JWT', kid: kidOf('lifecycle') });
        const body = encoded(claimsFor('lifecycle', {}));
        const mac = createHmac('sha256', publicPem('lifecycle')).update(`${head}.${body}`).digest('base64url');
        return `${head}.${body}.${mac}`;
      },
    },
    {
      name: 'RS256',
      reason: 'one algorithm only',
      token: () => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        return jwt.sign(claimsFor('lifecycle', {}), privateKey, { algorithm: 'RS256', keyid: kidOf('lifecycle') });
      },
    },
    {
      name: 'changed claims',
      reason: 'the signature covers them',
      token: () => {
        const [head, , signature] = signed('cloud-mgmt', {}).split('.');
        return `${head}.${encoded(claimsFor('cloud-mgmt', { scope: 'resources:write' }))}.${signature}`;
      },
    },
  ];

  it.each(rows)('refuses $name: $reason', ({ token }) => {
    expect(() => verifier('policy-mgmt').verify(token(), 'policy:review')).toThrow(
      expect.objectContaining({ code: 'Unauthenticated', message: 'Unauthorized' }),
    );
  });

  it('would accept the same claims when nothing is wrong with them', () => {
    expect(verifier('policy-mgmt').verify(signed('lifecycle', {}), 'policy:review').tokenId).toBe('a-token');
  });
});

describe('the cache of verified tokens', () => {
  it('does not outlive the token', () => {
    const receiver = verifier('policy-mgmt');
    const token = issuer('lifecycle').issue('policy-mgmt', ada);
    receiver.verify(token, 'policy:review');

    ring.passSeconds(304);
    expect(receiver.verify(token, 'policy:review')).toBeDefined();
    ring.passSeconds(2);
    expect(() => receiver.verify(token, 'policy:review')).toThrow(expect.objectContaining({ code: 'Unauthenticated' }));
  });

  it('checks the scope of every call anew', () => {
    const receiver = verifier('policy-mgmt');
    const token = issuer('cloud-mgmt').issue('policy-mgmt', ada);
    receiver.verify(token, 'policy:review');
    expect(() => receiver.verify(token, 'resources:read')).toThrow(expect.objectContaining({ code: 'Forbidden' }));
  });

  it('forgets tokens whose key is trusted no more', async () => {
    const receiver = verifier('policy-mgmt');
    const token = issuer('lifecycle').issue('policy-mgmt', ada);
    receiver.verify(token, 'policy:review');

    await rotateKey(ring.directories, 'lifecycle', new Date(ring.nowMs));
    await rotateKey(ring.directories, 'lifecycle', new Date(ring.nowMs + 3_600_000));
    ring.passSeconds(10);

    expect(() => receiver.verify(token, 'policy:review')).toThrow(expect.objectContaining({ code: 'Unauthenticated' }));
  });
});

describe('announcements', () => {
  it('say which service speaks', () => {
    expect(verifier('lifecycle').verifyAnnouncement(issuer('cloud-mgmt').issueAnnouncement())).toBe('cloud-mgmt');
  });

  it('cannot be made from a token for a call', () => {
    const token = issuer('lifecycle').issue('policy-mgmt', ada);
    expect(() => verifier('policy-mgmt').verifyAnnouncement(token)).toThrow(
      expect.objectContaining({ code: 'Unauthenticated' }),
    );
  });
});

describe('ServiceTokenIssuer', () => {
  it('uses one token per receiver and person until shortly before it ends', () => {
    const tokens = issuer('lifecycle');
    const first = tokens.issue('policy-mgmt', ada);

    expect(tokens.issue('policy-mgmt', { ...ada })).toBe(first);
    expect(tokens.issue('policy-mgmt', { user: 'bob', groups: [] })).not.toBe(first);
    expect(tokens.issue('cloud-mgmt', ada)).not.toBe(first);
    ring.passSeconds(239);
    expect(tokens.issue('policy-mgmt', ada)).toBe(first);
    ring.passSeconds(1);
    expect(tokens.issue('policy-mgmt', ada)).not.toBe(first);
  });

  it('signs anew when its clock was set back, or its tokens would be from the future until it caught up', () => {
    const tokens = issuer('lifecycle');
    ring.passSeconds(600);
    tokens.issue('policy-mgmt', ada);
    ring.passSeconds(-600);

    expect(verifier('policy-mgmt').verify(tokens.issue('policy-mgmt', ada), 'policy:review')).toBeDefined();
  });

  it('signs with the new key as soon as the file changed, and everyone accepts it at once', async () => {
    const tokens = issuer('lifecycle');
    const receiver = verifier('policy-mgmt');
    const before = tokens.issue('policy-mgmt', ada);
    receiver.verify(before, 'policy:review');

    const kid = await rotateKey(ring.directories, 'lifecycle', new Date(ring.nowMs));
    ring.passSeconds(241);
    const after = tokens.issue('policy-mgmt', ada);

    expect(jwt.decode(after, { complete: true })?.header.kid).toBe(kid);
    expect(receiver.verify(after, 'policy:review')).toBeDefined();
    expect(receiver.verify(before, 'policy:review')).toBeDefined();
  });
});
