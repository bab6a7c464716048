import { createHash, createHmac } from 'node:crypto';

/** What a request is signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Goes with credentials of a role, which end. */
  readonly sessionToken?: string;
}

/** One POST to an API of AWS. */
export interface SignableRequest {
  /** Name in the credential scope, such as `sts`. */
  readonly service: string;
  readonly region: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly credentials: AwsCredentials;
  readonly now?: Date;
}

/**
 * The request's headers with its signature, version 4. Pure, but for the clock where `now` is not given.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
 */
export function signedHeaders(request: SignableRequest): Record<string, string> {
  const { url, service, region, body, credentials } = request;
  const time = (request.now ?? new Date()).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const { host, pathname } = new URL(url);
  const { sessionToken } = credentials;
  const headers: Record<string, string> = {
    ...lowerCased(request.headers),
    host,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    'POST',
    pathname,
    '',
    ...names.map((name) => `${name}:${headers[name]?.trim() ?? ''}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const parts = [time.slice(0, 8), region, service, 'aws4_request'];
  const scope = parts.join('/');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const signature = hmac(keyOf(credentials, parts), toSign).toString('hex');
  const credential = `${credentials.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

function keyOf({ secretAccessKey }: AwsCredentials, parts: readonly string[]): Buffer {
  return parts.reduce<Buffer>((secret, part) => hmac(secret, part), Buffer.from(`AWS4${secretAccessKey}`));
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
