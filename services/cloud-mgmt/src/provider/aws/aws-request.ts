import { signedHeaders } from '@crate/aws-signature';
import { isPlatformError, PlatformError, unavailable } from '@crate/errors';
import { credentialsRejected } from '../credentials-rejected.js';
import type { AccountCredentials } from '../cloud-provider.js';
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
const TOO_MANY_REQUESTS = 429;
/** Source: https://docs.aws.amazon.com/general/latest/gr/api-retries.html */
const THROTTLED =
  /^(Throttl\w*|RequestLimitExceeded|RequestThrottled\w*|TooManyRequestsException|SlowDown|PriorRequestNotComplete|ProvisionedThroughputExceededException)$/;
const THROTTLED_REASON = 'RateLimited';
const ERROR_CODE = /"__type"\s*:\s*"(?:[^"#]*#)?(\w+)"|<Code>(\w+)<\/Code>/;

/** Keeps the code of an answer beside the message for people. */
class AwsFault extends Error {
  override readonly name = 'AwsFault';

  constructor(readonly code: string) {
    super(code);
  }
}

/** Sends a signed request; throws CredentialsRejected, or Unavailable for every other answer but 200: see `isThrottled`. */
export async function sendAwsRequest(request: AwsRequest): Promise<string> {
  const { url, body, signal } = request;
  let response: Response;
  let text: string;
  try {
    [response, text] = await sent(url, { method: 'POST', headers: signedHeaders(request), body, signal });
  } catch (error) {
    throw unavailable(`AWS does not answer at ${new URL(url).host}`, error);
  }
  if (response.ok) return text;
  const [, json, xml] = ERROR_CODE.exec(text) ?? [];
  const code = json ?? xml ?? `HTTP ${response.status}`;
  if (response.status === TOO_MANY_REQUESTS || THROTTLED.test(code)) throw throttled(code, response.headers);
  if (REJECTED.includes(response.status)) throw credentialsRejected(`AWS rejected the credentials: ${code}`);
  throw unavailable(`AWS answered ${code}`, new AwsFault(code));
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

/** Seconds or a date. Source: https://www.rfc-editor.org/rfc/rfc9110#name-retry-after */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
