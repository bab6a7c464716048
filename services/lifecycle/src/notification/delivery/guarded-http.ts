import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { PlatformError } from '@crate/errors';
import type { AddressGuard } from './address-guard.js';

/** Finds all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface GuardedHttpOptions {
  readonly guard: AddressGuard;
  readonly timeoutMs: number;
  /** PEM; trusted besides those that everybody trusts. */
  readonly ca?: string;
  readonly resolve?: Resolve;
}

/** What a receiver answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter?: string;
  /** Where it wanted to send us on to. */
  readonly location?: string;
  /** The beginning of it. */
  readonly text: string;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reason of the error for an address that webhooks may not be at. */
export const ADDRESS_REFUSED = 'AddressRefused';

const LONGEST_ANSWER = 2_048;

/**
 * Sends to URLs that people state. Each connection goes to an address that was just looked up and found to be allowed, so that a name which
 * means something else a moment later leads nowhere. Redirects are answers like others, and proxies are not used.
 */
export class GuardedHttp {
  private readonly resolve: Resolve;

  constructor(private readonly options: GuardedHttpOptions) {
    this.resolve = options.resolve ?? resolveBySystem;
  }

  /** Throws Forbidden with reason `AddressRefused`; whatever Node throws when nobody answers; and when `signal` aborts. */
  async post({ url: text, headers, body }: Post, signal: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isSecure = url.protocol === 'https:';
    // Node looks up names only.
    if (isIP(host) !== 0) this.check([{ address: host, family: isIP(host) }], host, isSecure);
    const send = isSecure ? httpsRequest : httpRequest;
    const { timeoutMs, ca } = this.options;
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    return new Promise((resolve, reject) => {
      const sent = send(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: false,
        signal: within,
        lookup: this.lookup(isSecure),
        ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      });
      sent.on('response', (response) => resolve(read(response)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Node connects to just what this gives. */
  private lookup(isSecure: boolean): LookupFunction {
    return (name, { all }, callback) => {
      this.resolve(name)
        .then((addresses) => this.check(addresses, name, isSecure))
        .then((allowed) => {
          const [first] = allowed;
          if (all || !first) callback(null, allowed as LookupAddress[]);
          else callback(null, first.address, first.family);
        })
        .catch((error: unknown) => callback(error as NodeJS.ErrnoException, []));
    };
  }

  /** The addresses that may be connected to. Throws when there is none. */
  private check(addresses: readonly LookupAddress[], host: string, isSecure: boolean): readonly LookupAddress[] {
    const { guard } = this.options;
    const allowed = addresses.filter(({ address }) => guard.allows(address));
    if (allowed.length === 0) {
      throw refused(`${host} is at no public address`, 'Use one that is, or have the platform allow its network');
    }
    const usable = isSecure ? allowed : allowed.filter(({ address }) => guard.trusts(address));
    if (usable.length === 0) throw refused(`${host} is asked without TLS`, 'Use an https:// URL');
    return usable;
  }
}

function refused(message: string, remedy: string): PlatformError {
  return new PlatformError('Forbidden', `${message}. ${remedy}`, { details: { reason: ADDRESS_REFUSED, remedy } });
}

async function resolveBySystem(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

/** The status is what counts: an answer that does not end is cut. */
async function read(response: IncomingMessage): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= LONGEST_ANSWER) break;
    }
  } catch {
    // What it said so far is said.
  }
  response.destroy();
  const { 'retry-after': retryAfter, location } = headers;
  return {
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(location === undefined ? {} : { location }),
    text: Buffer.concat(chunks).toString('utf8').slice(0, LONGEST_ANSWER),
  };
}
