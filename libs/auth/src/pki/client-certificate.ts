import { createPrivateKey, webcrypto, type KeyObject } from 'node:crypto';
import { exportKey, loadX509, newKeys, type CertificatePair } from './certificate-authority.js';

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

type SigningAlgorithm = webcrypto.EcKeyImportParams | webcrypto.RsaHashedImportParams;

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/**
 * A certificate that proves who a client is and serves for nothing else, with a key that is made for it. The authority is one that others made: its key is
 * RSA or of an elliptic curve, in any PEM. Throws for a key that is neither.
 */
export async function issueClientCertificate(
  authority: CertificatePair,
  { notBefore, notAfter, commonName, organization }: ClientSubject,
): Promise<CertificatePair> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await newKeys();
  const { signingKey, signingAlgorithm } = await signerOf(authority.key);
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore,
    notAfter,
    // Typed texts: in any other form a name that begins with # is taken for bytes.
    subject: new x509.Name([{ O: [{ utf8String: organization }] }, { CN: [{ utf8String: commonName }] }]),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

interface Signer {
  readonly signingKey: webcrypto.CryptoKey;
  readonly signingAlgorithm: SigningAlgorithm & { readonly hash: string };
}

/** Engines write keys in older forms than Web Cryptography reads: PKCS #1 and SEC 1. */
async function signerOf(pem: string): Promise<Signer> {
  const key = createPrivateKey(pem);
  const algorithm = algorithmOf(key);
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  return { signingKey, signingAlgorithm: algorithm };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Signer['signingAlgorithm'] {
  const hash = 'SHA-256';
  if (asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash };
  const namedCurve = CURVES[asymmetricKeyDetails?.namedCurve ?? ''];
  if (namedCurve === undefined) throw new Error(`No client certificates are signed with a key of ${asymmetricKeyType}`);
  return { name: 'ECDSA', namedCurve, hash };
}
