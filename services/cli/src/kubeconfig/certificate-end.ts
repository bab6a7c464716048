import { X509Certificate } from 'node:crypto';
import { PlatformError } from '@crate/errors';
import { parse } from 'yaml';

/** Clocks differ, and an answer takes its time. */
const TOLERANCE_MS = 10 * 60_000;

interface WithUsers {
  readonly users?: readonly { readonly user?: { readonly 'client-certificate-data'?: string } }[];
}

/** When the client certificate of a kubeconfig with one user ends; undefined where there is none that can be read. */
export function certificateEnd(kubeconfig: string): Date | undefined {
  const data = (parse(kubeconfig) as WithUsers).users?.[0]?.user?.['client-certificate-data'];
  if (data === undefined) return undefined;
  try {
    return new X509Certificate(Buffer.from(data, 'base64')).validToDate;
  } catch {
    return undefined; // It may be good for something all the same, and this only tells of it.
  }
}

/**
 * What to tell of a kubeconfig that ends sooner than it was asked to; undefined where all is well. Throws Conflict (`GoodForLonger`) for one that ends later:
 * platforms before kubeconfigs ended heed no such wish.
 */
export function compareEnd(end: Date, askedMs: number, nowMs = Date.now()): string | undefined {
  const beyondMs = end.getTime() - nowMs - askedMs;
  if (beyondMs > TOLERANCE_MS) throw goodForLonger(end);
  if (beyondMs >= -TOLERANCE_MS) return undefined;
  return `This kubeconfig ends sooner than asked for: ${end.toISOString()}`;
}

function goodForLonger(end: Date): PlatformError {
  const remedy = 'Ask again once all of the platform is of a version that heeds --expires, or without --expires';
  const message = `The platform gave a kubeconfig that is good for longer than asked for, until ${end.toISOString()}; it was not kept`;
  return new PlatformError('Conflict', message, { retry: 'never', details: { reason: 'GoodForLonger', remedy } });
}
