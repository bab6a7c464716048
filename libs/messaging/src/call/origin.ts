import type { CallOrigin } from '@crate/resource-client';

/** NATS header that says where a person's request came from, for the audit log of the service that is called. */
export const ORIGIN_HEADER = 'crate-origin';

const LONGEST_VALUE = 256;

/** As a header value: JSON in base64url, which no character of a client can break. Undefined when nothing is known. */
export function formatOrigin(origin: CallOrigin | undefined): string | undefined {
  const known = bounded(origin ?? {});
  if (Object.keys(known).length === 0) return undefined;
  return Buffer.from(JSON.stringify(known)).toString('base64url');
}

/** Undefined for what cannot be read: a call does not fail for it. */
export function parseOrigin(header: string | undefined): CallOrigin | undefined {
  if (header === undefined) return undefined;
  try {
    return bounded(JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

function bounded(origin: { readonly address?: unknown; readonly userAgent?: unknown }): CallOrigin {
  const { address, userAgent } = origin;
  return {
    ...(typeof address === 'string' ? { address: address.slice(0, LONGEST_VALUE) } : {}),
    ...(typeof userAgent === 'string' ? { userAgent: userAgent.slice(0, LONGEST_VALUE) } : {}),
  };
}
