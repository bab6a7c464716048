import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { SERVICES } from '../call-matrix.js';
import { ServiceRegistry } from '../service-registry.js';
import { ServiceTokenIssuer } from '../service-token/service-token-issuer.js';
import { KeyRing } from '../testing/key-ring.js';
import { LOCAL_ISSUER, LocalIssuer } from './local-issuer.js';
import { USER_AUDIENCE } from './user-authenticator.js';
import { LocalTokenVerifier } from './local-token-verifier.js';
import { PeopleAuthenticator } from './people-authenticator.js';

let ring: KeyRing;

beforeEach(async () => {
  ring = await KeyRing.make([...SERVICES, LOCAL_ISSUER]);
});

afterEach(async () => ring.remove());

function verifier(): PeopleAuthenticator {
  const issuers = [new LocalTokenVerifier(ring.store('lifecycle'), ring.now)];
  return new PeopleAuthenticator({ issuers, now: ring.now });
}

function issue(user: string, groups: readonly string[], lifetimeSeconds = 3600): string {
  return new LocalIssuer(ring.store(LOCAL_ISSUER), ring.now).issue({ user, groups }, lifetimeSeconds);
}

describe('the local issuer', () => {
  it('names the person and the groups', async () => {
    const caller = await verifier().authenticate(issue('ada', ['platform-admin']));
    expect(caller).toEqual({ user: 'ada', groups: ['platform-admin', 'system:authenticated'] });
  });

  it('takes groups away that are the platform’s own', async () => {
    const caller = await verifier().authenticate(issue('eve', ['system:masters', 'system:authenticated-by-me']));
    expect(caller.groups).toEqual(['system:authenticated']);
  });

  const rows: { name: string; token: () => string | undefined }[] = [
    { name: 'no token', token: () => undefined },
    { name: 'rubbish', token: () => 'x' },
    { name: 'a name that is the platform’s own', token: () => issue('system:cloud-mgmt', []) },
    {
      name: 'an expired token',
      token: () => {
        const token = issue('ada', [], 60);
        ring.passSeconds(66);
        return token;
      },
    },
    {
      name: 'a service token',
      token: () => {
        const options = { service: 'lifecycle', keys: ring.store('lifecycle'), registry: new ServiceRegistry() };
        return new ServiceTokenIssuer({ ...options, now: ring.now }).issue('policy-mgmt', { user: 'ada', groups: [] });
      },
    },
    {
      name: 'a token that a service signed in the name of the issuer',
      token: () => {
        const { privateKey, kid } = ring.store('cloud-mgmt').signingKey();
        const exp = Math.floor(ring.nowMs / 1000) + 60;
        const claims = { iss: LOCAL_ISSUER, aud: USER_AUDIENCE, sub: 'ada', groups: ['platform-admin'], exp };
        return jwt.sign(claims, privateKey, { algorithm: 'ES256', keyid: kid });
      },
    },
  ];

  it.each(rows)('refuses $name', async ({ token }) => {
    await expect(verifier().authenticate(token())).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: 'Unauthorized',
    });
  });
});
