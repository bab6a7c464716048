import { X509Certificate } from 'node:crypto';
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
