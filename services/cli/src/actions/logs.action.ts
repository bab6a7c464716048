import { setTimeout as delay } from 'node:timers/promises';
import { LogReach, type LogPlace } from '@crate/api';
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
/** Of several logs that are read as one, each line says whose it is. */
const LINE = /^(\d{4}-\S+Z) (?:\[(\w+)\] )?/;

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
  const reach = new LogReach();
  let openedAt: number | undefined;
  let failures = 0;
  const onOpen = (): void => {
    openedAt ??= performance.now();
    failures = 0;
  };
  for (;;) {
    try {
      yield* beyond(reach, api.lines(pathOf(object, options, { since: reach.since(), openedAt }), { onOpen }));
      return;
    } catch (error) {
      // A first answer that never came is for the person to know.
      if (!options.follow || openedAt === undefined || failures >= RECONNECTS || !isPassing(error)) throw error;
      failures += 1;
      await delay(reconnectMs);
    }
  }
}

/** What came just before a break comes again behind it. */
async function* beyond(reach: LogReach, lines: AsyncIterable<string>): AsyncGenerator<string> {
  const isNew = reach.beyond();
  for await (const line of lines) {
    const place = placeOf(line);
    if (!isNew(place)) continue;
    reach.add(place);
    yield line;
  }
}

/** How far reading has come. */
interface Place {
  /** From when on to go on, by the platform's clock. */
  readonly since: string | undefined;
  /** When the first answer began, by ours. */
  readonly openedAt: number | undefined;
}

function placeOf(line: string): LogPlace {
  const [, time = '', source = ''] = LINE.exec(line) ?? [];
  return { time, source };
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
  { since: sinceTime, openedAt }: Place,
): Readonly<Record<string, string | number | undefined>> {
  if (sinceTime !== undefined) return { sinceTime };
  // None of the old lines: what came while the connection was broken is new.
  if (tail === 0 && openedAt !== undefined) return { sinceSeconds: Math.ceil((performance.now() - openedAt) / 1_000) };
  return { tailLines: tail, sinceSeconds: since };
}
