import { isIP } from 'node:net';
import { webcrypto, X509Certificate } from 'node:crypto';
import type * as x509 from '@peculiar/x509';

/** A certificate and its private key, both PEM (PKCS #8). */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** What a certificate says. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organization?: string;
  /** DNS names and IP addresses it is good for as a server. */
  readonly names?: readonly string[];
  /** How long it is good for. Default ten years: for what nobody renews. */
  readonly days?: number;
  /** Its time is over already. */
  readonly isExpired?: boolean;
}

// P-256 instead of the engine's RSA: a cluster needs a dozen keys, and RSA ones take seconds.
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEN_YEARS_DAYS = 10 * 365;

type X509 = typeof x509;

/** Loaded when the first certificate is made: services, which mostly show theirs, start without it. */
export async function loadX509(): Promise<X509> {
  await import('reflect-metadata'); // @peculiar/x509 registers its encoders through it.
  return import('@peculiar/x509');
}

/** A new self-signed authority. */
export async function createAuthority(commonName: string): Promise<CertificatePair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: distinguishedName({ commonName }),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment | x509.KeyUsageFlags.keyCertSign,
        true,
      ),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

/** A certificate for servers and clients alike, as the engine issues them. Keeps `key` (PEM) when one is given. */
export async function issueCertificate(
  authority: CertificatePair,
  subject: CertificateSubject,
  key?: string,
): Promise<CertificatePair> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = key === undefined ? await newKeys() : await importKeys(key);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(subject),
    subject: distinguishedName(subject),
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: (await importKeys(authority.key)).privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: await extensionsFor(x509, issuer, subject),
  });
  return { certificate: certificate.toString('pem'), key: key ?? (await exportKey(keys.privateKey)) };
}

/** A private key that signs nothing but service-account tokens. */
export async function createSigningKey(): Promise<string> {
  return exportKey((await newKeys()).privateKey);
}

/** DNS names and IP addresses of a certificate, sorted. */
export function namesOf(certificate: string): readonly string[] {
  const { subjectAltName = '' } = new X509Certificate(certificate);
  return subjectAltName
    .split(', ')
    .filter((entry) => entry !== '')
    .map((entry) => entry.replace(/^(DNS|IP Address):/, ''))
    .sort();
}

async function extensionsFor(
  x509: X509,
  issuer: x509.X509Certificate,
  subject: CertificateSubject,
): Promise<x509.Extension[]> {
  const names = (subject.names ?? []).map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
    await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
  ];
}

// An array, not a string: names given by users need no escaping that way.
function distinguishedName({ commonName, organization }: CertificateSubject): x509.JsonName {
  return [...(organization === undefined ? [] : [{ O: [organization] }]), { CN: [commonName] }];
}

function validity({ isExpired = false, days = TEN_YEARS_DAYS }: Partial<CertificateSubject> = {}): {
  readonly notBefore: Date;
  readonly notAfter: Date;
} {
  const now = isExpired ? Date.now() - days * DAY_MS - HOUR_MS : Date.now();
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + days * DAY_MS) };
}

/** A key pair of its own for one certificate. */
export async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** PEM (PKCS #8) of a private key. */
export async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/(.{64})/g, '$1\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

async function importKeys(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const der = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
  const { kty, crv, x, y } = await webcrypto.subtle.exportKey('jwk', privateKey);
  const publicJwk = { kty, crv, x, y } as webcrypto.JsonWebKey;
  const publicKey = await webcrypto.subtle.importKey('jwk', publicJwk, ALGORITHM, true, ['verify']);
  return { privateKey, publicKey };
}
