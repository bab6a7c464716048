import type { Logger } from '@crate/telemetry';
import { watchOptions } from '../list-options.js';
import { streamWatch } from '../watch-stream.js';
import { type ContentTexts, readSubresource } from './subresource.js';
import { refOf, type Target, typeOf } from './target.js';

/** Watches without a stated end are ended after this long, plus up to as much again, so that not all return at once. */
const WATCH_TIMEOUT_MS = 30 * 60_000;

/** `GET` of one object, or of one of its subresources. */
export async function get(target: Target, texts: ContentTexts = {}): Promise<void> {
  const { exchange, path, route, view } = target;
  const { respond, context } = exchange;
  const { subresource } = path;
  if (subresource === undefined || subresource === 'status') {
    return respond.object(200, view.object(await route.api.get(refOf(path), context)));
  }
  return readSubresource(target, texts);
}

/** `GET` with `watch=true`: changes until the client goes or the time is up. */
export function watch({ exchange, path, route, view }: Target, logger: Logger): Promise<void> {
  const { query, context, response } = exchange;
  const timeoutMs = Math.round(WATCH_TIMEOUT_MS * (1 + Math.random()));
  const options = { timeoutMs, ...watchOptions(query, path, route.kind) };
  return streamWatch({
    response,
    events: route.api.watch(typeOf(path), options, context),
    signal: context.signal,
    show: (event) => view.event(event),
    onError: (error) => logger.debug('Watch failed', { error, path: exchange.path }),
  });
}
