import { isPlatformError, PlatformError } from '@crate/errors';
import { ApiClient } from '../client/api-client.js';
import type { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { pemOf } from '../kubeconfig/pem.js';
import { readGiven } from '../output/in-file.js';
import { isUntrusted } from '../output/why-unreachable.js';
import { findOffer, type LoginOffer } from './login-offer.js';
import { logoutLine } from './login-line.js';

interface Asked {
  readonly server: string;
  readonly caFile?: string | undefined;
  readonly issuer?: string | undefined;
  readonly context: string;
  readonly kubeconfig: string;
}

interface TrustedOffer {
  /** PEM of the authorities that the server was asked with; absent: the well-known ones. */
  readonly ca: Buffer | undefined;
  readonly offer: LoginOffer;
}

interface Authority {
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
}

/**
 * What the server offers. Whoever signs in again has said before whom to trust, and others are not taken unasked: the offer says where
 * a person signs in. Where that does not do any more, what is thrown says how to trust anew.
 */
export async function findTrustedOffer(file: KubeconfigFile, asked: Asked): Promise<TrustedOffer> {
  const { caFile, context, kubeconfig } = asked;
  if (caFile !== undefined) return offerTo(await readGiven(caFile), asked);
  const remedy = `The sign-in before trusts another authority: give the new one with --ca-file, or trust the well-known ones after: ${logoutLine(context, kubeconfig)}`;
  const cluster = file.find<Authority>('clusters', context);
  const known = cluster && (await pemOf(cluster, 'certificate-authority', kubeconfig).catch(failsWith(remedy)));
  return offerTo(known, asked).catch((error: unknown) => {
    if (known === undefined || !isUntrusted(error)) throw error;
    return failsWith(remedy)(error);
  });
}

async function offerTo(ca: Buffer | undefined, { server, issuer }: Asked): Promise<TrustedOffer> {
  return { ca, offer: await findOffer(new ApiClient({ server, ca }), issuer) };
}

function failsWith(remedy: string): (error: unknown) => never {
  return (error) => {
    if (!isPlatformError(error)) throw error;
    const { code, message, details, cause } = error;
    throw new PlatformError(code, message, { details: { ...details, remedy }, cause });
  };
}
