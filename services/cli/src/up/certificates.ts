import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { createAuthority, issueCertificate, type KeyPair } from '@crate/sandbox';
import type { DataDir } from './data-dir.js';
import { findText, writeSecretFile } from './secret-file.js';

const RENEW_BEFORE_MS = 30 * 86_400_000;
const NAMES = ['localhost', '127.0.0.1'];

/** Files of the API's TLS identity. */
export interface ServerCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** PEM of the authority that clients trust. */
  readonly ca: string;
}

/** The API's certificate for loopback names, issued by an authority of this data directory; renewed when it nears its end. */
export async function ensureServerCertificate(dir: DataDir, now: Date = new Date()): Promise<ServerCertificate> {
  const isFresh = (pem: string): boolean =>
    Date.parse(new X509Certificate(pem).validTo) - now.getTime() > RENEW_BEFORE_MS;
  const authority = await ensurePair(dir, 'ca', isFresh, () => createAuthority('Crate local CA'));
  const isOurs = (pem: string): boolean =>
    new X509Certificate(pem).checkIssued(new X509Certificate(authority.certificate));
  await ensurePair(
    dir,
    'server',
    (pem) => isFresh(pem) && isOurs(pem),
    () => issueCertificate(authority, { commonName: 'crate-api', names: NAMES }),
  );
  return { ...filesOf(dir, 'server'), ca: authority.certificate };
}

async function ensurePair(
  dir: DataDir,
  name: string,
  isUsable: (certificate: string) => boolean,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  const { certificateFile, keyFile } = filesOf(dir, name);
  const [certificate, key] = await Promise.all([findText(certificateFile), findText(keyFile)]);
  if (certificate !== undefined && key !== undefined && isUsable(certificate)) return { certificate, key };
  const made = await make();
  // The certificate last: only a pair whose certificate is there counts as made.
  await writeSecretFile(keyFile, made.key);
  await writeSecretFile(certificateFile, made.certificate);
  return made;
}

function filesOf(dir: DataDir, name: string): { readonly certificateFile: string; readonly keyFile: string } {
  const base = join(dir.certificates(), name);
  return { certificateFile: `${base}.crt`, keyFile: `${base}.key` };
}
