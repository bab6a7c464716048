import { readFile } from 'node:fs/promises';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Gets a JSON document over HTTPS, trusting only the authorities in `caFile` when given. Follows no redirect: an issuer
 * is where it says it is. The file is read anew each time, and no connection outlives the call.
 */
export async function fetchJson(url: string, caFile: string | undefined): Promise<unknown> {
  if (new URL(url).protocol !== 'https:') throw new Error(`Refusing to read ${url} without TLS`);
  // Loaded only here: most processes that know this library ask no issuer.
  const { Agent, fetch } = await import('undici');
  const ca = caFile === undefined ? {} : { ca: await readFile(caFile) };
  const agent = new Agent({ connect: { ...ca, timeout: TIMEOUT_MS }, maxResponseSize: MAX_BYTES });
  try {
    const response = await fetch(url, {
      dispatcher: agent,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return await response.json();
  } finally {
    await agent.destroy();
  }
}
