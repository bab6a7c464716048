import type { ErrorCause, PlatformError } from '@crate/errors';

/** What system errors mean for the person. Source: https://nodejs.org/api/errors.html and https://nodejs.org/api/tls.html */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ECONNRESET: 'the connection was broken off',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: "its certificate is not valid yet: is this machine's clock right?",
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is from no authority that is trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from no authority that is trusted here',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is from no authority that is trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is from no authority that is trusted here',
};

/** What went wrong, each cause with its field, and what to do. */
export function errorLines(error: PlatformError): readonly string[] {
  const { message, details } = error;
  const { causes = [], remedy = causes.find(({ field }) => field === undefined)?.message } = details;
  const fields = fieldCauses(causes);
  const head = fields.length > 1 ? `${headOf(message, fields[0]?.field ?? '')}:` : `${message}${becauseOf(error)}`;
  const told = fields.length > 1 ? fields.map(({ field, message: text }) => `  ${field}: ${text}`) : [];
  // Over the API what to do comes as a cause of its own.
  return [head, ...told, ...(remedy ? [remedy] : [])];
}

function fieldCauses(causes: readonly ErrorCause[]): readonly ErrorCause[] {
  return causes.filter(({ field }) => field !== undefined);
}

/** The part of a message in front of its list of fields. */
function headOf(message: string, firstField: string): string {
  const list = message.indexOf(firstField);
  const end = list < 0 ? -1 : message.lastIndexOf(': ', list);
  return end < 0 ? message : message.slice(0, end);
}

/** Why something could not be reached. */
function becauseOf({ cause }: PlatformError): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const why = SYSTEM_ERRORS[code];
  return why === undefined ? '' : `: ${why}`;
}
