import type { CallOrigin } from '@crate/resource-client';
import type { IncomingMessage } from 'node:http';

/** True for addresses of proxies whose `X-Forwarded-For` is believed. */
export type TrustProxy = (address: string) => boolean;

const LONGEST_AGENT = 256;
const MOST_HOPS = 16;

/** Where a request came from: the last address that is none of the trusted proxies'. */
export function originOf(request: IncomingMessage, trustProxy: TrustProxy = () => false): CallOrigin {
  const userAgent = request.headers['user-agent']?.slice(0, LONGEST_AGENT);
  const address = addressOf(request, trustProxy);
  return { ...(address === undefined ? {} : { address }), ...(userAgent === undefined ? {} : { userAgent }) };
}

function addressOf({ socket, headers }: IncomingMessage, trustProxy: TrustProxy): string | undefined {
  let address = socket.remoteAddress === undefined ? undefined : plain(socket.remoteAddress);
  const forwarded = headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').slice(-MOST_HOPS);
  // From the nearest proxy outwards; what stands beyond an untrusted address may be made up.
  while (address !== undefined && trustProxy(address)) {
    const next = hops.pop()?.trim();
    if (!next) break;
    address = plain(next);
  }
  return address?.slice(0, 64);
}

/** IPv4 without the IPv6 form that a dual-stack socket gives it. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
