import { once } from 'node:events';
import type { KubeList } from '@crate/api';
import type { ListOptions } from '@crate/resource-client';
import { listOptions } from '../list-options.js';
import { negotiate } from '../negotiate.js';
import { cutOff } from '../response-state.js';
import { type Target, typeOf } from './target.js';

/** Objects in memory at a time; as many as kubectl asks for. */
const PAGE = 500;

/**
 * `GET` of a collection. However many objects there are, only a page of them is in memory: a list without a limit is sent while it is
 * read, all of it from one snapshot. Where that fails or is ended half way, the connection ends, as the client cannot be told otherwise.
 */
export async function sendList(target: Target): Promise<void> {
  const { exchange, path, route, view } = target;
  const options = listOptions(exchange.query, path, route.kind);
  const isWhole = (options.limit ?? Infinity) <= PAGE || negotiate(exchange.request.headers.accept).format !== 'json';
  const first = isWhole ? options : { ...options, limit: PAGE };
  const page = await route.api.list(typeOf(path), first, exchange.context);
  const isLast = isWhole || page.metadata.continue === undefined;
  if (isLast) return exchange.respond.object(200, view.list(page));
  await sendPages(target, options, page);
}

async function sendPages(target: Target, options: ListOptions, first: KubeList): Promise<void> {
  const { exchange, path, route } = target;
  const { response, context } = exchange;
  response.writeHead(200, { 'content-type': 'application/json' });
  let left = (options.limit ?? Infinity) - first.items.length;
  let page = first;
  let shown = shownOf(target, page);
  await write(target, `${JSON.stringify(shown.rest).slice(0, -1)},"${shown.field}":[${linesOf(shown.elements)}`);
  while (page.metadata.continue !== undefined && left > 0) {
    if (context.signal.aborted) return cutOff(response);
    const next = { ...withoutRevision(options), continue: page.metadata.continue, limit: Math.min(PAGE, left) };
    page = await route.api.list(typeOf(path), next, context);
    left -= page.items.length;
    shown = shownOf(target, page);
    await write(target, `${shown.elements.length > 0 ? ',' : ''}${linesOf(shown.elements)}`);
  }
  response.end(`],"metadata":${JSON.stringify(page.metadata)}}\n`);
}

interface Shown {
  /** All but the elements and the metadata, which are known at the end only. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly field: 'items' | 'rows';
  readonly elements: readonly unknown[];
}

function shownOf({ view }: Target, page: KubeList): Shown {
  const { metadata: _metadata, ...list } = view.list(page) as Record<string, unknown>;
  const field = 'rows' in list ? 'rows' : 'items';
  const { [field]: elements, ...rest } = list;
  return { rest, field, elements: elements as readonly unknown[] };
}

/** The continue token says which revision it is of. */
function withoutRevision(options: ListOptions): ListOptions {
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
  return rest;
}

function linesOf(elements: readonly unknown[]): string {
  return elements.map((element) => JSON.stringify(element)).join(',');
}

async function write({ exchange }: Target, text: string): Promise<void> {
  const { response, context } = exchange;
  if (!response.write(text)) await once(response, 'drain', { signal: context.signal }).catch(() => undefined);
}
