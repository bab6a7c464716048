import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /^\s*client-certificate-data: "?([A-Za-z0-9+/=]+)"?\s*$/m;

/** What the record of a secret that was given says of it, read off the secret itself: until when a kubeconfig is good. Undefined for what does not end. */
export function endOfSecret(secret: unknown): string | undefined {
  const encoded = typeof secret === 'string' ? CERTIFICATE.exec(secret)?.[1] : undefined;
  if (encoded === undefined) return undefined;
  try {
    return `Good until ${new X509Certificate(Buffer.from(encoded, 'base64')).validToDate.toISOString()}`;
  } catch {
    return undefined; // Whatever it is, it is on record that it was read.
  }
}
