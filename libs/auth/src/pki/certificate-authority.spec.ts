import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { createAuthority, issueCertificate, namesOf } from './certificate-authority.js';

describe('issueCertificate', () => {
  it('issues certificates that the authority vouches for, under exactly the names asked for', async () => {
    const authority = await createAuthority('kube-ca');
    const names = ['127.0.0.1', 'kubernetes.default', '10.43.0.1'];
    const { certificate, key } = await issueCertificate(authority, {
      commonName: 'a',
      organization: 'system:masters',
      names,
    });
    const parsed = new X509Certificate(certificate);

    expect(parsed.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(parsed.subject).toBe('O=system:masters\nCN=a');
    expect(namesOf(certificate)).toEqual([...names].sort());
    expect(parsed.checkHost('kubernetes.default')).toBeDefined();
    expect(parsed.checkIP('10.43.0.2')).toBeUndefined();
    expect(key).toContain('BEGIN PRIVATE KEY');
  });

  it.each(['::1', 'fd00::10:5', '2001:db8:1:2:3:4:5:6', '::ffff:10.0.0.1', 'fd00::'])(
    'names the address %s',
    async (name) => {
      const authority = await createAuthority('kube-ca');
      const parsed = new X509Certificate(
        (await issueCertificate(authority, { commonName: 'a', names: [name] })).certificate,
      );
      expect(parsed.checkIP(name)).toBe(name);
    },
  );

  it('is taken by TLS, which looks at all of the chain', async () => {
    const authority = await createAuthority('kube-ca');
    const { certificate, key } = await issueCertificate(authority, { commonName: 'a', names: ['a.example.com'] });
    const server = createServer({ cert: certificate, key, ca: authority.certificate, requestCert: true }).listen(0);
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, ca: authority.certificate, cert: certificate, key, servername: 'a.example.com' });
    server.on('secureConnection', (socket) => socket.end(String(socket.authorized)));
    expect(await text(client)).toBe('true');
    expect(client.authorized).toBe(true);
    server.close();
  });

  it('lasts beyond the years that two digits can say', async () => {
    const authority = await createAuthority('kube-ca');
    const { certificate } = await issueCertificate(authority, { commonName: 'a', days: 40 * 365 });
    expect(new X509Certificate(certificate).validToDate.getTime() - Date.now()).toBeCloseTo(40 * 365 * 86_400_000, -4);
  });

  it('keeps a key that is given', async () => {
    const authority = await createAuthority('kube-ca');
    const first = await issueCertificate(authority, { commonName: 'a' });
    const second = await issueCertificate(authority, { commonName: 'a' }, first.key);

    expect(second.key).toBe(first.key);
    expect(
      new X509Certificate(second.certificate).publicKey.equals(new X509Certificate(first.certificate).publicKey),
    ).toBe(true);
  });
});
