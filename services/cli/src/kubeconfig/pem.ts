import { X509Certificate } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { badRequest } from '@crate/errors';
import { readGiven } from '../output/in-file.js';
import { whyUnreachable } from '../output/why-unreachable.js';

const PEM_CERTIFICATE = /^-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/m;

/** What stands in an entry of a kubeconfig as it is, or as a file beside that, which is at `path`. */
export async function pemOf<K extends string>(
  entry: { readonly [key in K | `${K}-data`]?: string },
  key: K,
  path: string,
): Promise<Buffer | undefined> {
  const [data, file] = [entry[`${key}-data`], entry[key]];
  if (data !== undefined) return Buffer.from(data, 'base64');
  return file === undefined ? undefined : readGiven(resolve(dirname(path), file));
}

/** Throws BadRequest for what TLS would pass over in silence, and then trust nobody. `whose`: an entry, and its file. */
export function requireAuthority(ca: Buffer, whose: string): void {
  usable(() => requireCertificate(ca), `The certificate authority of ${whose}`);
}

/** It is PEM that TLS takes; `X509Certificate` takes DER as well. */
function requireCertificate(ca: Buffer): void {
  if (!PEM_CERTIFICATE.test(ca.toString('latin1'))) throw new Error('no start line');
  new X509Certificate(ca);
}

/** Throws BadRequest for what TLS would refuse without saying whose it is. `whose`: an entry, and its file. */
export function requireKeyPair(cert: Buffer, key: Buffer, whose: string): void {
  usable(() => createSecureContext({ cert }), `The client certificate of ${whose}`);
  usable(() => createSecureContext({ cert, key }), `The client key of ${whose}`);
}

function usable(parse: () => unknown, what: string): void {
  try {
    parse();
  } catch (error) {
    const remedy = 'It has to be PEM; what stands in a kubeconfig itself has to be all of it, in base64 once';
    throw badRequest(`${what} cannot be used: ${whyUnreachable(error)}`, { remedy });
  }
}
