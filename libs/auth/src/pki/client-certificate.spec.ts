import { createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import 'reflect-metadata'; // @peculiar/x509 registers its encoders through it.
import { describe, expect, it } from '@jest/globals';
import * as x509 from '@peculiar/x509';
import { createAuthority } from './certificate-authority.js';
import type { CertificatePair } from './certificate.js';
import { issueClientCertificate } from './client-certificate.js';
import { bits, partsOf, sequence } from './der.js';

const NOT_BEFORE = new Date('2026-01-01T00:00:00Z');
const NOT_AFTER = new Date('2026-01-02T00:00:00Z');
const GROUP = 'crate:cluster-admins';

function issue(authority: CertificatePair, commonName = 'ada'): Promise<CertificatePair> {
  const subject = { commonName, organization: GROUP, notBefore: NOT_BEFORE, notAfter: NOT_AFTER };
  return issueClientCertificate(authority, subject);
}

function isSigned(certificate: string, by: CertificatePair): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(by.certificate).publicKey);
}

/** As RKE makes its own: RSA, and the key as PKCS #1. */
async function rsaAuthority(): Promise<CertificatePair> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const keys = {
    privateKey: await crypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']),
    publicKey: await crypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
  };
  const made = { name: [{ CN: ['kube-ca'] }], keys, signingAlgorithm: algorithm };
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(made);
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  expect(key).toContain('BEGIN RSA PRIVATE KEY');
  return { certificate: certificate.toString('pem'), key };
}

/** As old tools make it: of version 1, which says no version and has no extensions. */
async function oldAuthority(): Promise<CertificatePair> {
  const { certificate, key } = await createAuthority('kube-ca');
  const [content = Buffer.of(), algorithm = Buffer.of()] = partsOf(new X509Certificate(certificate).raw);
  const old = sequence(...partsOf(content).filter(([tag]) => tag !== 0xa0 && tag !== 0xa3));
  const signed = new X509Certificate(sequence(old, algorithm, bits(sign('sha256', old, key))));
  return { certificate: signed.toString(), key };
}

describe('issueClientCertificate', () => {
  it.each([
    { name: 'of an elliptic curve', authority: () => createAuthority('kube-ca') },
    { name: 'as RKE makes it, RSA in PKCS #1', authority: rsaAuthority },
    { name: 'of version 1', authority: oldAuthority },
  ])('is signed by an authority $name', async ({ authority: make }) => {
    const authority = await make();
    const { certificate, key } = await issue(authority);
    expect(isSigned(certificate, authority)).toBe(true);
    const parsed = new X509Certificate(certificate);
    expect(parsed.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
    expect(parsed.publicKey.equals(createPublicKey(key))).toBe(true);
  });

  it('says who, in which group and until when, and serves no server', async () => {
    const parsed = new X509Certificate((await issue(await createAuthority('kube-ca'))).certificate);
    expect(parsed.subject).toBe(`O=${GROUP}\nCN=ada`);
    expect([parsed.validFromDate, parsed.validToDate]).toEqual([NOT_BEFORE, NOT_AFTER]);
    expect([parsed.ca, parsed.keyUsage]).toEqual([false, ['1.3.6.1.5.5.7.3.2']]);
  });

  it('has a key and a number of its own each time', async () => {
    const authority = await createAuthority('kube-ca');
    const [first, second] = [await issue(authority), await issue(authority)];
    expect(first.key).not.toBe(second.key);
    expect(new X509Certificate(first.certificate).serialNumber).not.toBe(
      new X509Certificate(second.certificate).serialNumber,
    );
  });

  it.each([
    'ada@example.com',
    'O=system:masters',
    'a, O=system:masters',
    '#0c036164',
    'Zo\u00eb + \u5c71',
    'x'.repeat(200),
  ])('takes the name %j for a name, whatever is in it', async (name) => {
    const { certificate } = await issue(await createAuthority('kube-ca'), name);
    const subject = new x509.X509Certificate(certificate).subjectName;
    expect([subject.getField('CN'), subject.getField('O')]).toEqual([[name], [GROUP]]);
    const { subject: seen } = new X509Certificate(certificate).toLegacyObject();
    expect(seen).toMatchObject({ CN: name, O: GROUP });
  });

  it('is refused by a key that is neither RSA nor of a known curve', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { certificate } = await createAuthority('kube-ca');
    await expect(issue({ certificate, key })).rejects.toThrow('a key of ed25519');
  });
});
