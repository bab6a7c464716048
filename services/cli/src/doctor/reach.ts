import type { ApiClient } from '../client/api-client.js';

/** How far one gets to a platform: not at all, to a certificate that is not trusted, or to its answers. */
export type Reach = 'none' | 'untrusted' | 'answers';

const NOBODY: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  // What answers there is no API.
  ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
]);
/** Source: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const DISTRUST = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;
const BEHIND_TRUST: ReadonlySet<string> = new Set(['reachable', 'certificate', 'clock']);

/** Which checks tell more than that it cannot be reached. */
export const LOOKED_AT: Readonly<Record<Reach, (check: string) => boolean>> = {
  none: (check) => check === 'reachable',
  untrusted: (check) => BEHIND_TRUST.has(check),
  answers: () => true,
};

/** Asks once. What answers badly answers. */
export async function reachOf(api: Pick<ApiClient, 'text'>): Promise<Reach> {
  try {
    await api.text('/readyz', '*/*');
    return 'answers';
  } catch (error) {
    return reachFailure(error);
  }
}

/** How far one gets where this comes of asking. */
export function reachFailure(error: unknown): Reach {
  const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  if (NOBODY.has(code)) return 'none';
  return DISTRUST.test(code) ? 'untrusted' : 'answers';
}
