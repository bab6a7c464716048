import type { KubeObject, WatchEvent } from '@crate/api';
import { withMethods, type ResourceApi } from '@crate/resource-client';
import { printedCells } from './printed.js';

/**
 * Adds what table columns of core kinds show to the objects it passes on, as a property that serialisation does not
 * see: a printer column reads one path, while Kubernetes works such cells out from several fields.
 */
export function printedApi(api: ResourceApi): ResourceApi {
  return withMethods(api, {
    get: async (ref, context) => printable(await api.get(ref, context)),
    list: async (type, options, context) => {
      const page = await api.list(type, options, context);
      return { ...page, items: page.items.map(printable) };
    },
    watch: (...asked) => printableEvents(api.watch(...asked)),
  });
}

async function* printableEvents(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent> {
  for await (const event of events) {
    yield event.type === 'BOOKMARK' ? event : { type: event.type, object: printable(event.object) };
  }
}

function printable(object: KubeObject): KubeObject {
  // A copy, because watchers share their objects; the cells are worked out only when a table asks.
  return Object.defineProperty({ ...object }, 'printed', { enumerable: false, get: () => printedCells(object) });
}
