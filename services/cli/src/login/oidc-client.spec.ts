import { expect, it } from '@jest/globals';
import { freePort } from '@crate/testing';
import { OidcClient } from './oidc-client.js';

it('says of an issuer that is down that nothing listens there, however many addresses its name has', async () => {
  const issuer = `https://localhost:${await freePort()}`;
  const opened = OidcClient.open({ name: 'corporate', issuer, clientId: 'crate', scopes: ['openid'] });
  await expect(opened).rejects.toMatchObject({
    code: 'Unavailable',
    message: `Cannot sign in at ${issuer}: nothing listens there`,
  });
});
