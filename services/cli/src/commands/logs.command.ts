import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { hasCode } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { parseWorkedObject, subresourcePath, type WorkedObject } from './worked-object.js';

interface LogsOptions extends ApiOptions {
  readonly namespace: string;
  readonly follow?: boolean;
  readonly tail?: number;
  readonly since?: number;
  readonly timestamps?: boolean;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const RECONNECT_MS = 1_000;
const RECONNECTS = 60;

/** `crate logs`: what the runs for a cluster printed. */
export function logsCommand(): Command {
  return withApiOptions(
    new Command('logs').description('Print what Terraform and the engine printed for a cluster, in the order of time'),
  )
    .argument('<object>', 'cluster/NAME, infrastructure/NAME or kubernetescluster/NAME', parseWorkedObject)
    .requiredOption('-n, --namespace <project>', 'Project of the cluster')
    .option('-f, --follow', 'go on until the work is done')
    .option('--tail <lines>', 'only so many of the last lines', wholeNumber)
    .option('--since <duration>', 'only what is newer, such as 10m', seconds)
    .option('--timestamps', 'with the time of each line')
    .action(async (object: WorkedObject, options: LogsOptions) => {
      const api = await apiOf(options);
      for await (const line of logLines(api, object, options)) {
        process.stdout.write(`${options.timestamps ? line : line.slice(line.indexOf(' ') + 1)}\n`);
      }
    });
}

/** Lines with their times. A connection that breaks while following is made anew, behind the last line. */
export async function* logLines(
  api: Pick<ApiClient, 'lines'>,
  object: WorkedObject,
  options: Omit<LogsOptions, 'timestamps'>,
  reconnectMs = RECONNECT_MS,
): AsyncGenerator<string> {
  let last: string | undefined;
  for (let failures = 0; ;) {
    try {
      for await (const line of api.lines(pathOf(object, options, last))) {
        last = line.slice(0, line.indexOf(' '));
        failures = 0;
        yield line;
      }
      return;
    } catch (error) {
      failures += 1;
      const isWorthIt = options.follow && failures <= RECONNECTS && hasCode(error, 'Unavailable');
      // A first answer that never came is for the person to know.
      if (!isWorthIt || last === undefined) throw error;
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

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

function seconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Give a duration such as 30s, 10m, 2h or 1d.');
  return Number(count) * (UNITS[unit] ?? 1);
}
