import { isPlatformError } from '@crate/errors';

const UNTRUSTED = 'its certificate is from no authority that is trusted here';
const NO_TLS = 'it does not speak TLS there: is it the right port?';

/** What system errors mean for the person. Source: https://nodejs.org/api/errors.html and https://nodejs.org/api/tls.html */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ECONNRESET: 'the connection was broken off',
  EPIPE: 'the connection was broken off',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: "its certificate is not valid yet: is this machine's clock right?",
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  // Of an authority that has the name of a trusted one, as when it was made anew.
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

/** Why something did not answer, as a person says it: what the innermost cause of the error means, or says itself. */
export function whyUnreachable(error: unknown): string {
  const root = rootOf(error);
  const { code = '', message } = root;
  // OpenSSL's messages name lines of its source; the reason is what is meant.
  const { reason } = root as { readonly reason?: unknown };
  const said = typeof reason === 'string' && reason !== '' ? reason : message.trim();
  return SYSTEM_ERRORS[code] ?? (said || code);
}

/** The same, where the system or a library says by a code what it was; undefined for other errors, whose texts are not for people. */
export function whySystemFailed(error: unknown): string | undefined {
  const root = rootOf(error);
  return typeof root.code === 'string' && !isPlatformError(root) ? whyUnreachable(root) : undefined;
}

/** Whether it did answer, with a certificate of an authority that is not among the trusted ones. */
export function isUntrusted(error: unknown): boolean {
  return whyUnreachable(error) === UNTRUSTED;
}

/** Where a name has several addresses, what went wrong with the first of them. */
function rootOf(error: unknown): NodeJS.ErrnoException {
  const { cause, errors } = (error ?? {}) as { readonly cause?: unknown; readonly errors?: readonly unknown[] };
  const below = cause ?? errors?.[0];
  if (isErrorLike(below)) return rootOf(below);
  return isErrorLike(error) ? error : new Error(String(error));
}

/** By its shape: libraries have objects of other kinds for causes, such as a response. */
function isErrorLike(value: unknown): value is NodeJS.ErrnoException {
  return typeof (value as Partial<Error> | null | undefined)?.message === 'string';
}
