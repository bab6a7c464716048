import { signedHeaders } from '@crate/aws-signature';
import { isPlatformError, PlatformError, unavailable } from '@crate/errors';
import {
  accountTrouble,
  credentialsRejected,
  permissionMissing,
  type AccountTrouble,
} from '../credentials-rejected.js';
import type { AccountCredentials } from '../cloud-provider.js';
import { providerUnavailable } from '../provider-unavailable.js';
import { sent } from '../traced-fetch.js';

/** One POST to an AWS API. */
export interface AwsRequest {
  /** Name in the credential scope and the host, such as `sts`. */
  readonly service: string;
  readonly region: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly credentials: AccountCredentials;
  readonly signal: AbortSignal;
  readonly now?: Date;
}

const REJECTED = [401, 403];
/**
 * Nobody's keys, whatever the status: APIs of JSON, such as tagging, answer 400. Source, besides that of `NOT_ALLOWED`:
 * https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/CommonErrors.html
 */
const NOBODYS_KEYS =
  /^(AuthFailure|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature(Exception)?|UnrecognizedClientException|ExpiredToken(Exception)?)$/;
/**
 * A request is good for minutes around the time it was signed at. Said by codes of their own, or in the words of those for nobody's keys.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 */
const OTHER_TIME = /^(RequestExpired|RequestInTheFuture|RequestTimeTooSkewed)$/;
const OTHER_TIME_TOLD = /^Signature (expired|not yet current)/;
const TOO_MANY_REQUESTS = 429;
/** From here on it is the fault of AWS. */
const IN_TROUBLE = 500;
/** Source: https://docs.aws.amazon.com/general/latest/gr/api-retries.html */
const THROTTLED =
  /^(Throttl\w*|RequestLimitExceeded|RequestThrottled\w*|TooManyRequestsException|SlowDown|PriorRequestNotComplete|ProvisionedThroughputExceededException)$/;
const THROTTLED_REASON = 'RateLimited';
/** The keys are good; what they may do is too little. Source: https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html */
const NOT_ALLOWED = /^(UnauthorizedOperation|AccessDenied(Exception)?|NotAuthorized|UnauthorizedAccess)$/;
/** The keys are good, and the account is not. */
const OF_ACCOUNT: Readonly<Record<string, AccountTrouble>> = {
  Blocked: 'AccountBlocked',
  OptInRequired: 'NotSubscribed',
  PendingVerification: 'AccountPending',
};
const ERROR_CODE = /"__type"\s*:\s*"(?:[^"#]*#)?(\w+)"|<Code>(\w+)<\/Code>/;
const ERROR_MESSAGE = /"[Mm]essage"\s*:\s*"((?:[^"\\]|\\.)*)"|<Message>([^<]*)<\/Message>/;
/** What follows is for a machine to decode, and long. */
const ENCODED = /\s*Encoded authorization failure message:[^]*$/;
const LONGEST_MESSAGE = 200;
/** The services that policies call otherwise than signatures do. */
const POLICY_NAMES: Readonly<Record<string, string>> = { tagging: 'tag' };

/** Keeps the code of an answer beside the message for people. */
class AwsFault extends Error {
  override readonly name = 'AwsFault';

  constructor(readonly code: string) {
    super(code);
  }
}

/**
 * Sends a signed request; throws CredentialsRejected, also for a permission that is missing, or Unavailable for every other answer
 * but 200, also where a clock is wrong: see `isThrottled`.
 */
export async function sendAwsRequest(request: AwsRequest): Promise<string> {
  const { url, body, signal } = request;
  let response: Response;
  let text: string;
  try {
    [response, text] = await sent(url, { method: 'POST', headers: signedHeaders(request), body, signal });
  } catch (error) {
    throw unreachable(new URL(url).host, error);
  }
  if (response.ok) return text;
  throw failureOf(request, response, text);
}

/** A name that is not found, a port that is closed and a certificate that is not trusted want different people to act. */
function unreachable(host: string, error: unknown): PlatformError {
  const code = (error as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause?.code;
  const why = typeof code === 'string' ? ` (${code})` : '';
  return new PlatformError('Unavailable', `AWS does not answer at ${host}${why}`, {
    cause: error,
    details: { remedy: `Let cloud-mgmt reach ${host}, directly or by the proxy in its HTTPS_PROXY` },
  });
}

function failureOf(request: AwsRequest, { status, headers }: Response, text: string): PlatformError {
  const [, json, xml] = ERROR_CODE.exec(text) ?? [];
  const code = json ?? xml ?? `HTTP ${status}`;
  if (status === TOO_MANY_REQUESTS || THROTTLED.test(code)) return throttled(code, headers);
  if (NOT_ALLOWED.test(code)) return permissionMissing(actionOf(request), told(code, text));
  if (OTHER_TIME.test(code) || OTHER_TIME_TOLD.test(messageIn(text))) return clockWrong(code);
  const trouble = OF_ACCOUNT[code];
  if (trouble) return accountTrouble(trouble, told(code, text));
  if (NOBODYS_KEYS.test(code) || REJECTED.includes(status))
    return credentialsRejected(`AWS rejected the credentials: ${code}`);
  return unexpected(status)(`AWS answered ${actionOf(request)} with ${told(code, text)}`, new AwsFault(code));
}

function unexpected(status: number): typeof providerUnavailable {
  return status >= IN_TROUBLE ? providerUnavailable : unavailable;
}

/** As policies write it, such as `ec2:DescribeVolumes`. */
function actionOf({ service, headers, body }: AwsRequest): string {
  const target = headers['x-amz-target']?.split('.').at(-1);
  return `${POLICY_NAMES[service] ?? service}:${target ?? new URLSearchParams(body).get('Action') ?? ''}`;
}

function messageIn(text: string): string {
  const [, json, xml] = ERROR_MESSAGE.exec(text) ?? [];
  return json ?? xml ?? '';
}

/** The code with what AWS says to it, in one line of bounded length. */
function told(code: string, text: string): string {
  const message = messageIn(text).replace(ENCODED, '').replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  if (message === '') return code;
  return `${code}: ${message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message}`;
}

/** The code that AWS gave an answer, such as `NoSuchEntity`; undefined for other errors. */
export function awsCodeOf(error: unknown): string | undefined {
  return isPlatformError(error) && error.cause instanceof AwsFault ? error.cause.code : undefined;
}

/** Whether AWS wants the call later; `details.retryAfterMs` says how much, where AWS said. */
export function isThrottled(error: unknown): error is PlatformError {
  return isPlatformError(error) && error.details.reason === THROTTLED_REASON;
}

function throttled(code: string, headers: Headers): PlatformError {
  const retryAfterMs = retryAfter(headers.get('retry-after'));
  return new PlatformError('Unavailable', `AWS answered ${code}`, {
    details: {
      reason: THROTTLED_REASON,
      remedy: 'Nothing to do: it is tried again more slowly',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
}

/** AWS tells the times as well, which would change the words from try to try. */
function clockWrong(code: string): PlatformError {
  return new PlatformError('Unavailable', `AWS refuses what was signed at another time than its own: ${code}`, {
    details: { reason: 'ClockWrong', remedy: 'Set the clock of the host that cloud-mgmt runs on' },
    cause: new AwsFault(code),
  });
}

/** Seconds or a date. Source: https://www.rfc-editor.org/rfc/rfc9110#name-retry-after */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
