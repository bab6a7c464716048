import { createPrivateKey, X509Certificate } from 'node:crypto';
import { exportKey, newKey, signCertificate, type CertificatePair } from './certificate.js';

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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEN_YEARS_DAYS = 10 * 365;

/** A new self-signed authority. */
export async function createAuthority(commonName: string): Promise<CertificatePair> {
  const key = await newKey();
  const certificate = signCertificate(key, {
    ...validity(),
    commonName,
    isAuthority: true,
    usages: ['digitalSignature', 'keyEncipherment', 'keyCertSign'],
  });
  return { certificate, key: exportKey(key) };
}

/** A certificate for servers and clients alike, as the engine issues them. Keeps `key` (PEM) when one is given. */
export async function issueCertificate(
  authority: CertificatePair,
  subject: CertificateSubject,
  key?: string,
): Promise<CertificatePair> {
  const { commonName, organization, names = [] } = subject;
  const own = key === undefined ? await newKey() : createPrivateKey(key);
  const wish = {
    ...validity(subject),
    ...{ commonName, organization, names },
    usages: ['digitalSignature', 'keyEncipherment'],
    extendedUsages: ['serverAuth', 'clientAuth'],
  } as const;
  return { certificate: signCertificate(own, wish, authority), key: key ?? exportKey(own) };
}

/** A private key that signs nothing but service-account tokens. */
export async function createSigningKey(): Promise<string> {
  return exportKey(await newKey());
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

function validity({ isExpired = false, days = TEN_YEARS_DAYS }: Partial<CertificateSubject> = {}): {
  readonly notBefore: Date;
  readonly notAfter: Date;
} {
  const now = isExpired ? Date.now() - days * DAY_MS - HOUR_MS : Date.now();
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + days * DAY_MS) };
}
