import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { KubeList } from '@crate/api';
import type { ListOptions } from '@crate/resource-client';
import { listOptions } from '../list-options.js';
import { negotiate, type Negotiated } from '../negotiate.js';
import { cutOff } from '../response-state.js';
import { YAML_TYPES } from '../yaml-text.js';
import { listText, type ListHead, type ListText } from './list-text.js';
import { type Target, typeOf } from './target.js';

/** Objects in memory at a time; as many as kubectl asks for. */
const PAGE = 500;
/** Longest that text is made before others have a turn, which may take many times as long. */
const SLICE_MS = 10;
/** Deleted objects that are told of in YAML: text of so many takes a tenth of a second. */
const MOST_REMOVED = 50;

/**
 * `GET` of a collection. However many objects there are, only a page of them is in memory: a list without a limit is sent while it is
 * read, all of it from one snapshot. Where that fails or is ended half way, the connection ends, as the client cannot be told otherwise.
 */
export async function sendList(target: Target): Promise<void> {
  const { exchange, path, route } = target;
  const options = listOptions(exchange.query, path, route.kind);
  const isShort = (options.limit ?? Infinity) <= PAGE;
  const first = isShort ? options : { ...options, limit: PAGE };
  const page = await route.api.list(typeOf(path), first, exchange.context);
  const isLast = isShort || page.metadata.continue === undefined;
  await (isLast ? sendWhole(target, page) : sendPages(target, options, page));
}

/** A list that is in memory. In YAML it is written between other work: text of so many objects takes a second. */
async function sendWhole(target: Target, list: KubeList): Promise<void> {
  const { exchange, view } = target;
  const shown = view.list(list) as Readonly<Record<string, unknown>>;
  if (formatOf(target) === 'json') return exchange.respond.object(200, shown);
  const { head, elements } = partsOf(shown);
  const text = await begin(target, head);
  if (await writeElements(target, text, elements)) end(target, text.end({}));
}

/**
 * What a `DELETE` of a collection deleted, at once: an answer that is cut off does not say that all of it is gone. Whoever wants YAML gets
 * that of many objects as JSON, which is YAML, too.
 */
export function sendRemoved(target: Target, list: KubeList): void {
  const { exchange, view } = target;
  const format = formatOf(target);
  const shown = view.list(list);
  if (format === 'json' || list.items.length <= MOST_REMOVED) return exchange.respond.object(200, shown);
  exchange.respond.text(200, `${JSON.stringify(shown)}\n`, YAML_TYPES[format]);
}

async function sendPages(target: Target, options: ListOptions, first: KubeList): Promise<void> {
  const { path, route, exchange } = target;
  const { head, elements } = shownOf(target, first);
  let left = (options.limit ?? Infinity) - first.items.length;
  let page = first;
  const text = await begin(target, head);
  let isOpen = await writeElements(target, text, elements);
  while (isOpen && page.metadata.continue !== undefined && left > 0) {
    const next = { ...withoutRevision(options), continue: page.metadata.continue, limit: Math.min(PAGE, left) };
    page = await route.api.list(typeOf(path), next, exchange.context);
    left -= page.items.length;
    isOpen = await writeElements(target, text, shownOf(target, page).elements);
  }
  if (isOpen) end(target, text.end({ metadata: page.metadata }));
}

interface Shown {
  readonly head: ListHead;
  readonly elements: readonly unknown[];
}

/** Without the metadata, which are known at the end only. */
function shownOf({ view }: Target, page: KubeList): Shown {
  const { metadata: _metadata, ...list } = view.list(page) as Record<string, unknown>;
  return partsOf(list);
}

function partsOf(list: Readonly<Record<string, unknown>>): Shown {
  const field = 'rows' in list ? 'rows' : 'items';
  const { [field]: elements, ...rest } = list;
  return { head: { rest, field }, elements: elements as readonly unknown[] };
}

/** The continue token says which revision it is of. */
function withoutRevision(options: ListOptions): ListOptions {
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
  return rest;
}

function formatOf({ exchange }: Target): Negotiated['format'] {
  return negotiate(exchange.request.headers.accept).format;
}

async function begin(target: Target, head: ListHead): Promise<ListText> {
  const text = listText(formatOf(target), head);
  target.exchange.response.writeHead(200, { 'content-type': text.mediaType });
  await write(target, text.begin());
  return text;
}

/** False: the request is over, and its answer cut off. */
async function writeElements(target: Target, text: ListText, elements: readonly unknown[]): Promise<boolean> {
  const { context, response } = target.exchange;
  let begunAt = performance.now();
  for (let at = 0; at < elements.length && !context.signal.aborted; at += text.atOnce) {
    await write(target, text.next(elements.slice(at, at + text.atOnce)));
    if (performance.now() - begunAt < SLICE_MS) continue;
    await turn();
    begunAt = performance.now();
  }
  if (context.signal.aborted) cutOff(response);
  return !context.signal.aborted;
}

async function write({ exchange }: Target, text: string): Promise<void> {
  const { response, context } = exchange;
  if (!response.write(text)) await once(response, 'drain', { signal: context.signal }).catch(() => undefined);
}

/** Over HTTP/2 an empty text behind others makes Node send memory in the place of these (seen with 24.21). */
function end({ exchange }: Target, text: string): void {
  exchange.response.end(text === '' ? undefined : text);
}
