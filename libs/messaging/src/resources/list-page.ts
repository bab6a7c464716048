import type { KubeList } from '@crate/api';
import type { CallContext, ListOptions, ResourceApi, ResourceType } from '@crate/resource-client';

/** Items asked of the owner at first; fewer when they turn out large. */
const PAGE_ITEMS = 500;

export interface ListPageRequest {
  readonly api: ResourceApi;
  readonly type: ResourceType;
  readonly options: ListOptions;
  /** Size of the page in JSON; one object always fits in, whatever its size. */
  readonly maxBytes: number;
}

/** A page that fits into one message: fewer items than asked for when they are large, with a `continue` token. */
export async function listPage(
  { api, type, options, maxBytes }: ListPageRequest,
  context: CallContext,
): Promise<KubeList> {
  for (let limit = Math.min(options.limit ?? PAGE_ITEMS, PAGE_ITEMS); ;) {
    const page = await api.list(type, { ...options, limit }, context);
    const bytes = Buffer.byteLength(JSON.stringify(page));
    // Whoever sends it knows how much a message really takes.
    if (bytes <= maxBytes || page.items.length <= 1) return page;
    // By the measured size, with room for items that are larger than the average.
    limit = Math.max(1, Math.floor((page.items.length * maxBytes) / bytes / 2));
  }
}
