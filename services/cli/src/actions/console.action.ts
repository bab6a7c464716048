import { readCliEnvironment } from '../config.js';
import { apiOf } from '../client/context.js';
import { urlAt } from '../client/server-url.js';
import type { ApiOptions } from '../commands/api-options.js';

const CODES = '/console/sign-in-codes';

interface ConsoleOptions extends ApiOptions {
  readonly browser: boolean;
}

/** The address carries a code that is good once and for a minute; the token itself never leaves the command line. */
export async function openConsole({ browser, ...options }: ConsoleOptions): Promise<void> {
  const api = await apiOf(options);
  const { path } = await api.create<{ readonly path: string }>(CODES, {});
  const { href } = urlAt(api.server, path);
  if (!browser) {
    console.log(href);
    return;
  }
  console.log(`Opening ${urlAt(api.server, '/console/').href}`);
  console.log(`If no browser opens, use this address once, within a minute:\n  ${href}`);
  const { openBrowser } = await import('../login/open-browser.js');
  await openBrowser(href, readCliEnvironment().browser);
}
