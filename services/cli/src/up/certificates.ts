import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createAuthority, issueCertificate, namesOf, type CertificatePair, type CertificateSubject } from '@crate/auth';
import type { DataDir } from './data-dir.js';
import { findText, writeSecretFile } from './secret-file.js';

const DAY_MS = 86_400_000;
const RENEW_BEFORE_MS = 30 * DAY_MS;
/**
 * What browsers ask for: Apple's take none that lasts longer than 825 days. Others would have to be started again for a new one, and last ten years.
 * Source: https://support.apple.com/en-us/103769
 */
export const API_CERTIFICATE_DAYS = 820;
const NAMES = ['localhost', '127.0.0.1'];

/** Files of a TLS identity, PEM. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** The API's TLS identity. */
export interface ServerCertificate extends CertificateFiles {
  /** PEM of the authority that clients trust. */
  readonly ca: string;
}

/** The API's certificate for loopback names, issued by an authority of this data directory; renewed when it nears its end. */
export async function ensureServerCertificate(dir: DataDir, now: Date = new Date()): Promise<ServerCertificate> {
  const authority = await ensureAuthority(dir, now);
  const files = filesOf(dir.certificates(), 'server');
  await ensureCertificate(files, {
    authority,
    subject: { commonName: 'crate-api', names: NAMES, days: API_CERTIFICATE_DAYS },
    now,
  });
  return { ...files, ca: authority.certificate };
}

/** The authority of a data directory, made at the first call and again when it nears its end. */
export async function ensureAuthority(dir: DataDir, now: Date = new Date()): Promise<CertificatePair> {
  const isUsable = (certificate: X509Certificate): boolean => isFresh(certificate, now);
  return ensurePair(filesOf(dir.certificates(), 'ca'), isUsable, () => createAuthority('Crate local CA'));
}

export interface CertificateRequest {
  readonly authority: CertificatePair;
  readonly subject: CertificateSubject;
  readonly now?: Date;
}

/** A certificate in `files`, made anew when it nears its end, lasts too long, has other names, or is another authority's. Idempotent. */
export async function ensureCertificate(
  files: CertificateFiles,
  { authority, subject, now = new Date() }: CertificateRequest,
): Promise<void> {
  const { publicKey } = new X509Certificate(authority.certificate);
  const names = [...(subject.names ?? [])].sort();
  const isUsable = (certificate: X509Certificate): boolean =>
    isFresh(certificate, now) &&
    lifetimeMs(certificate) < ((subject.days ?? Infinity) + 1) * DAY_MS &&
    certificate.verify(publicKey) &&
    isDeepStrictEqual(namesOf(certificate.toString()), names);
  await ensurePair(files, isUsable, () => issueCertificate(authority, subject));
}

/** Where the certificate `name` of a directory lies. */
export function filesOf(directory: string, name: string): CertificateFiles {
  const base = join(directory, name);
  return { certificateFile: `${base}.crt`, keyFile: `${base}.key` };
}

function isFresh({ validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validTo) - now.getTime() > RENEW_BEFORE_MS;
}

function lifetimeMs({ validFrom, validTo }: X509Certificate): number {
  return Date.parse(validTo) - Date.parse(validFrom);
}

async function ensurePair(
  { certificateFile, keyFile }: CertificateFiles,
  isUsable: (certificate: X509Certificate) => boolean,
  make: () => Promise<CertificatePair>,
): Promise<CertificatePair> {
  const [certificate, key] = await Promise.all([findText(certificateFile), findText(keyFile)]);
  if (certificate !== undefined && key !== undefined && isPair(certificate, key, isUsable)) return { certificate, key };
  const made = await make();
  await writeSecretFile(keyFile, made.key);
  await writeSecretFile(certificateFile, made.certificate);
  return made;
}

/** False also for files that a crash or a person left damaged or out of step. */
function isPair(certificate: string, key: string, isUsable: (certificate: X509Certificate) => boolean): boolean {
  try {
    const parsed = new X509Certificate(certificate);
    return parsed.checkPrivateKey(createPrivateKey(key)) && isUsable(parsed);
  } catch {
    return false;
  }
}
