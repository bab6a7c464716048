import type { KubeList, KubeObject } from '@crate/api';
import { hasCode, PlatformError } from '@crate/errors';
import type { ListOptions } from '@crate/resource-client';
import { continueBehind } from '@crate/resource-store';

/** Objects read at a time, whatever part of them is shown. */
const READ_AT_ONCE = 500;

/**
 * A page of those objects that may be shown: it goes on past the others until it is full. Its token names the last one shown, and neither it
 * nor the page says how many are left, as those may be anybody's. Throws Gone, without a token, where what it reads is forgotten meanwhile.
 */
export async function shownPage(
  list: (options: ListOptions) => Promise<KubeList>,
  options: ListOptions,
  isShown: (object: KubeObject) => boolean,
): Promise<KubeList> {
  const first = await list(options.limit === undefined ? options : { ...options, limit: READ_AT_ONCE });
  return goneOn(first, list, options, isShown);
}

/** The same of a page that was read already. Where nothing is hidden it costs a read of one object more. */
export async function goneOn(
  first: KubeList,
  list: (options: ListOptions) => Promise<KubeList>,
  options: ListOptions,
  isShown: (object: KubeObject) => boolean,
): Promise<KubeList> {
  const { limit = Infinity, resourceVersion: _version, resourceVersionMatch: _match, ...selection } = options;
  const items = first.items.filter(isShown);
  let page = first;
  // One more than fits tells that there is a further page.
  let atOnce = items.length === limit ? 1 : READ_AT_ONCE;
  while (page.metadata.continue !== undefined && items.length <= limit) {
    const next = { ...selection, continue: page.metadata.continue, limit: atOnce };
    page = await list(next).catch(throwWithoutToken);
    items.push(...page.items.filter(isShown));
    atOnce = READ_AT_ONCE;
  }
  return pageOf(page, items, limit);
}

function pageOf(page: KubeList, found: readonly KubeObject[], limit: number): KubeList {
  const { resourceVersion } = page.metadata;
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  const metadata = { resourceVersion, ...(last ? { continue: continueBehind(last, resourceVersion) } : {}) };
  return { ...page, metadata, items };
}

/** The token that is offered instead names the last object that was read, which may be hidden. */
function throwWithoutToken(error: unknown): never {
  if (!hasCode(error, 'Gone')) throw error;
  const message = 'What this list is read from is forgotten: start a new list, without the continue parameter';
  throw new PlatformError('Gone', message, { cause: error, details: { reason: 'Expired' } });
}
