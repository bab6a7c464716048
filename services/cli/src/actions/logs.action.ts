import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../client/api-client.js';
import { apiOf } from '../client/context.js';
import { isPassing } from '../client/passing.js';
import type { ApiOptions } from '../commands/api-options.js';
import { subresourcePath } from '../objects/object-path.js';
import { endWithReader } from '../output/reader.js';
import type { WorkedObject } from '../commands/worked-object.js';

interface LogsOptions extends ApiOptions {
  readonly namespace: string;
  readonly follow?: boolean;
  readonly tail?: number;
  readonly since?: number;
  readonly timestamps?: boolean;
}
const RECONNECT_MS = 1_000;
const RECONNECTS = 60;

export async function runLogs(object: WorkedObject, options: LogsOptions): Promise<void> {
  const api = await apiOf(options);
  endWithReader();
  for await (const line of logLines(api, object, options)) {
    process.stdout.write(`${options.timestamps ? line : line.slice(line.indexOf(' ') + 1)}\n`);
  }
}

/**
 * Lines with their times. A connection that breaks while following, as at the end of a token, is made anew behind the last line.
 * An answer that ends in order is all there is.
 */
export async function* logLines(
  api: Pick<ApiClient, 'lines'>,
  object: WorkedObject,
  options: Omit<LogsOptions, 'timestamps'>,
  reconnectMs = RECONNECT_MS,
): AsyncGenerator<string> {
  let last: string | undefined;
  let openedAt: number | undefined;
  let failures = 0;
  const onOpen = (): void => {
    openedAt ??= performance.now();
    failures = 0;
  };
  for (;;) {
    try {
      for await (const line of api.lines(pathOf(object, options, { last, openedAt }), { onOpen })) {
        last = line.slice(0, line.indexOf(' '));
        yield line;
      }
      return;
    } catch (error) {
      // A first answer that never came is for the person to know.
      if (!options.follow || openedAt === undefined || failures >= RECONNECTS || !isPassing(error)) throw error;
      failures += 1;
      await delay(reconnectMs);
    }
  }
}

/** How far reading has come. */
interface Place {
  /** Time of the last line, by the platform's clock. */
  readonly last: string | undefined;
  /** When the first answer began, by ours. */
  readonly openedAt: number | undefined;
}

function pathOf(object: WorkedObject, options: Omit<LogsOptions, 'timestamps'>, place: Place): string {
  const query = new URLSearchParams({ timestamps: 'true' });
  if (options.follow) query.set('follow', 'true');
  for (const [name, value] of Object.entries(beginning(options, place))) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `${subresourcePath(object, options.namespace, 'logs')}?${query.toString()}`;
}

function beginning(
  { tail, since }: Pick<LogsOptions, 'tail' | 'since'>,
  { last, openedAt }: Place,
): Readonly<Record<string, string | number | undefined>> {
  if (last !== undefined) return { sinceTime: last };
  // None of the old lines: what came while the connection was broken is new.
  if (tail === 0 && openedAt !== undefined) return { sinceSeconds: Math.ceil((performance.now() - openedAt) / 1_000) };
  return { tailLines: tail, sinceSeconds: since };
}
