import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { webcrypto } from 'node:crypto';
import { join } from 'node:path';
import type { DataDir } from './data-dir.js';
import { findText, writeSecretFile } from './secret-file.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 397;
const RENEW_BEFORE_DAYS = 30;

/** Files of the API's TLS identity. */
export interface ServerCertificate {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  /** PEM. */
  readonly ca: string;
}

/** The API's certificate for loopback names, issued by a CA of this data directory; renewed when it nears its end. */
export async function ensureServerCertificate(dir: DataDir, now: Date = new Date()): Promise<ServerCertificate> {
  x509.cryptoProvider.set(webcrypto as Crypto);
  const [caFile, caKeyFile, certificateFile, keyFile] = ['ca.crt', 'ca.key', 'server.crt', 'server.key'].map((name) =>
    join(dir.certificates(), name),
  ) as [string, string, string, string];

  const authority = await ensureAuthority(caFile, caKeyFile, now);
  const current = await findText(certificateFile);
  if (current === undefined || isNearEnd(current, now)) {
    const issued = await issue(authority, now);
    await writeSecretFile(keyFile, issued.key);
    await writeSecretFile(certificateFile, issued.certificate);
  }
  return { caFile, certificateFile, keyFile, ca: authority.certificate.toString('pem') };
}

interface Authority {
  readonly certificate: x509.X509Certificate;
  readonly privateKey: CryptoKey;
}

async function ensureAuthority(caFile: string, keyFile: string, now: Date): Promise<Authority> {
  const [certificate, key] = await Promise.all([findText(caFile), findText(keyFile)]);
  if (certificate !== undefined && key !== undefined) {
    return { certificate: new x509.X509Certificate(certificate), privateKey: await importKey(key) };
  }
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Crate local CA',
    keys: keys as CryptoKeyPair,
    signingAlgorithm: ALGORITHM,
    notBefore: now,
    notAfter: new Date(now.getTime() + CA_DAYS * DAY_MS),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as CryptoKey),
    ],
  });
  await writeSecretFile(keyFile, await exportKey(keys.privateKey as CryptoKey));
  await writeSecretFile(caFile, made.toString('pem'));
  return { certificate: made, privateKey: keys.privateKey as CryptoKey };
}

async function issue(authority: Authority, now: Date): Promise<{ certificate: string; key: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=crate-api',
    issuer: authority.certificate.subject,
    signingKey: authority.privateKey,
    publicKey: keys.publicKey as CryptoKey,
    signingAlgorithm: ALGORITHM,
    notBefore: now,
    notAfter: new Date(now.getTime() + SERVER_DAYS * DAY_MS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey as CryptoKey) };
}

function isNearEnd(pem: string, now: Date): boolean {
  return new x509.X509Certificate(pem).notAfter.getTime() - now.getTime() < RENEW_BEFORE_DAYS * DAY_MS;
}

async function exportKey(key: CryptoKey): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(bytes, 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<CryptoKey> {
  const [bytes] = x509.PemConverter.decode(pem);
  return (await webcrypto.subtle.importKey('pkcs8', bytes as ArrayBuffer, ALGORITHM, true, ['sign'])) as CryptoKey;
}
