import { apiText } from '../api/http.js';

/** Style sheets that could not be had: whoever asked for them does so once, and not again. */
const missing = new Set<HTMLLinkElement>();

globalThis.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') missing.add(target);
  },
  // Such errors do not bubble.
  { capture: true },
);

/**
 * Loads the code of a page, and styles that it could not have before. Throws ApiError (`Unreachable`) where the platform
 * is out of reach, else what `load` throws: another version of the console may be there.
 */
export async function pageCode<T>(load: () => Promise<T>): Promise<T> {
  for (const link of missing) link.replaceWith(link.cloneNode());
  missing.clear();
  try {
    return await load();
  } catch (error) {
    await apiText('/livez');
    throw error;
  }
}
