import { exportKey, newKey, signCertificate, type CertificatePair } from './certificate.js';

/** Whom a server is to take the bearer for, and how long. */
export interface ClientSubject {
  /** The user's name. */
  readonly commonName: string;
  /** The user's group. */
  readonly organization: string;
  readonly notBefore: Date;
  /** To the second. */
  readonly notAfter: Date;
}

/**
 * A certificate that proves who a client is and serves for nothing else, with a key that is made for it. The authority is one that others made: its key is
 * RSA or of an elliptic curve, in any PEM. Throws for a key that is neither.
 */
export async function issueClientCertificate(
  authority: CertificatePair,
  { notBefore, notAfter, commonName, organization }: ClientSubject,
): Promise<CertificatePair> {
  const key = await newKey();
  const wish = {
    ...{ notBefore, notAfter, commonName, organization },
    usages: ['digitalSignature'],
    extendedUsages: ['clientAuth'],
  } as const;
  return { certificate: signCertificate(key, wish, authority), key: exportKey(key) };
}
