import { createPrivateKey, X509Certificate } from 'node:crypto';
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
  const isFresh = ({ validTo }: X509Certificate): boolean => Date.parse(validTo) - now.getTime() > RENEW_BEFORE_MS;
  const authority = await ensurePair(dir, 'ca', isFresh, () => createAuthority('Crate local CA'));
  const { publicKey } = new X509Certificate(authority.certificate);
  await ensurePair(
    dir,
    'server',
    (certificate) => isFresh(certificate) && certificate.verify(publicKey),
    () => issueCertificate(authority, { commonName: 'crate-api', names: NAMES }),
  );
  return { ...filesOf(dir, 'server'), ca: authority.certificate };
}

async function ensurePair(
  dir: DataDir,
  name: string,
  isUsable: (certificate: X509Certificate) => boolean,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  const { certificateFile, keyFile } = filesOf(dir, name);
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

function filesOf(dir: DataDir, name: string): { readonly certificateFile: string; readonly keyFile: string } {
  const base = join(dir.certificates(), name);
  return { certificateFile: `${base}.crt`, keyFile: `${base}.key` };
}
