import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../client/api-client.js';
import { apiOf } from '../client/context.js';
import { isPassing } from '../client/passing.js';
import type { ApiOptions } from '../commands/api-options.js';
import { subresourcePath } from '../objects/object-path.js';
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
  let failures: number | undefined;
  const onOpen = (): void => void (failures = 0);
  for (;;) {
    try {
      for await (const line of api.lines(pathOf(object, options, last), { onOpen })) {
        last = line.slice(0, line.indexOf(' '));
        yield line;
      }
      return;
    } catch (error) {
      // A first answer that never came is for the person to know.
      if (!options.follow || failures === undefined || failures >= RECONNECTS || !isPassing(error)) throw error;
      failures += 1;
      await delay(reconnectMs);
    }
  }
}

function pathOf(object: WorkedObject, options: Omit<LogsOptions, 'timestamps'>, last: string | undefined): string {
  const { namespace, follow, tail, since } = options;
  const query = new URLSearchParams({ timestamps: 'true' });
  if (follow) query.set('follow', 'true');
  if (last !== undefined) query.set('sinceTime', last);
  if (last === undefined && tail !== undefined) query.set('tailLines', String(tail));
  if (last === undefined && since !== undefined) query.set('sinceSeconds', String(since));
  return `${subresourcePath(object, namespace, 'logs')}?${query.toString()}`;
}
