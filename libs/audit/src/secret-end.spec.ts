import { expect, it } from '@jest/globals';
import { createAuthority, issueClientCertificate } from '@crate/auth';
import { endOfSecret } from './secret-end.js';

it('is when the certificate of a kubeconfig ends, and nothing else of it', async () => {
  const notAfter = new Date('2026-11-28T14:00:00Z');
  const subject = { commonName: 'ada', organization: 'admins', notBefore: new Date('2026-11-27T14:00:00Z'), notAfter };
  const { certificate, key } = await issueClientCertificate(await createAuthority('kube-ca'), subject);
  const [cert, secret] = [certificate, key].map((pem) => Buffer.from(pem).toString('base64'));
  const user = `    user:\n      client-certificate-data: ${cert}\n      client-key-data: ${secret}\n`;
  expect(endOfSecret(`apiVersion: v1\nkind: Config\nusers:\n  - name: ada\n${user}`)).toBe(
    'Good until 2026-11-28T14:00:00.000Z',
  );
});

it.each([
  { name: 'a token', secret: 'apiVersion: v1\nusers: [{ name: ada, user: { token: t } }]\n' },
  { name: 'a certificate that is none', secret: 'client-certificate-data: YQ==\n' },
  { name: 'an object', secret: { token: 't' } },
])('is not known of $name', ({ secret }) => {
  expect(endOfSecret(secret)).toBeUndefined();
});
