import type { NodemailerError } from 'nodemailer';
import type { Outcome } from '../outbox.js';
import { CERTIFICATE_TROUBLE } from './certificate-trouble.js';

/** What a mail server says of a message that it took for somebody. */
export interface SentMail {
  readonly response?: string | undefined;
  readonly rejected?: readonly string[] | undefined;
  readonly rejectedErrors?: readonly NodemailerError[] | undefined;
}

const LONGEST_DETAIL = 300;
const TOO_LARGE = 552;

/**
 * Tried again for those it was not taken for while a server wants that of any of them; whoever it refuses for good is asked along, so
 * that the end says so. Pure.
 */
export function outcomeOfSent({ response = '', rejected = [], rejectedErrors = [] }: SentMail): Outcome {
  if (rejected.length === 0) return { kind: 'Delivered', detail: cut(`The mail server said ${response}`) };
  const why = rejectedErrors.map(({ message }) => message).join('; ');
  const whom = rejected.join(', ');
  if (rejectedErrors.every(isRefusal)) {
    const detail = cut(`The mail server refuses ${whom}; others have it. Correct spec.email.to: ${why}`);
    return { kind: 'Failed', reason: 'RecipientRefused', detail };
  }
  const detail = cut(`The mail server did not take it for ${whom} yet; others have it: ${why}`);
  return { kind: 'Retry', outstanding: rejected, detail };
}

/**
 * 5xx of SMTP are final as far as the message is to blame, and not who we are or how the server does: one that takes nobody would end all
 * that waits at once. `outstanding`: the others have it already, so a server that takes it for none of these is not away. Pure.
 */
export function outcomeOfError(error: NodemailerError, outstanding?: readonly string[]): Outcome {
  const { rejected, rejectedErrors = [] } = error;
  const detail = cut(wordsOf(error));
  if (!isAboutMessage(error))
    return { kind: 'Retry', detail, ...(outstanding && rejected ? { outstanding: rejected } : {}) };
  return { kind: 'Failed', detail, ...(rejectedErrors.length > 0 ? { reason: 'RecipientRefused' } : {}) };
}

/** The library puts a code of its own before that of the system. */
function wordsOf({ message, originalCode = '' }: NodemailerError): string {
  const trouble = CERTIFICATE_TROUBLE[originalCode];
  if (trouble === undefined) return `The mail server: ${message}`;
  return `The certificate of the mail server ${trouble}. Its operators put that right, or name its authority in CRATE_NOTIFICATION_CA_FILE`;
}

/** What is said before is about the connection, the login or the sender; but for a message that is too large. */
function isAboutMessage(error: NodemailerError): boolean {
  const { command, responseCode } = error;
  if (command === 'MAIL FROM') return responseCode === TOO_LARGE;
  return isRefusal(error) && (command === 'RCPT TO' || command === 'DATA');
}

function isRefusal({ responseCode }: NodemailerError): boolean {
  return responseCode !== undefined && responseCode >= 500;
}

function cut(text: string): string {
  return text.slice(0, LONGEST_DETAIL);
}
