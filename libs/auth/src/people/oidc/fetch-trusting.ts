const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** As `fetch`, as far as OpenID Connect libraries use it. */
export type Fetch = (url: string, options: object) => Promise<Response>;

/**
 * A `fetch` for talking to an issuer, which trusts only the authorities that `readAuthorities` gives, or the well-known ones. They are
 * read anew each time, and no connection outlives its call.
 */
export function fetchTrusting(readAuthorities?: () => Promise<string | Buffer>): Fetch {
  return async (url, options) => {
    // Loaded only here: most processes that know this library ask no issuer.
    const { Agent, fetch } = await import('undici');
    const ca = readAuthorities === undefined ? {} : { ca: await readAuthorities() };
    const connect = { ...ca, timeout: TIMEOUT_MS };
    const dispatcher = new Agent({ connect, keepAliveTimeout: 1, maxResponseSize: MAX_BYTES });
    // Undici's own types and those of the platform say the same of one thing.
    return await fetch(url, { ...options, dispatcher });
  };
}
