import {
  apiVersionOf,
  findCondition,
  NOTIFICATION_CHANNEL,
  NOTIFICATION_STATES,
  notificationDeliveries,
  notificationTest,
  type KubeList,
  type NotificationAttempt,
  type NotificationChannel,
  type NotificationDelivery,
} from '@crate/api';
import { PlatformError } from '@crate/errors';
import { Command, InvalidArgumentError, Option } from 'commander';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';
import { formatTable } from '../progress/table.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';

interface Common extends ApiOptions {
  readonly namespace: string;
  readonly output: OutputFormat;
}

const MOST_DELIVERIES = 500;
const LONGEST_CELL = 80;

/** `crate notifications`: where a Project hears of what happens in it, and what was delivered. */
export function notificationsCommand(): Command {
  return new Command('notifications')
    .description('Where a Project hears of what happens in it, and what was delivered')
    .addCommand(listCommand())
    .addCommand(deliveriesCommand())
    .addCommand(testCommand());
}

function listCommand(): Command {
  return common(new Command('list').description('List the channels of a Project'))
    .addOption(formatOption('table'))
    .action(async (options: Common) => {
      const { items } = await (await apiOf(options)).get<KubeList<NotificationChannel>>(collection(options));
      const header = ['NAME', 'TYPE', 'SEVERITIES', 'DELIVERING', 'PENDING', 'FAILED', 'LAST-DELIVERY', 'WHY'];
      printAs(options.output, items, () => formatTable(header, items.map(channelRow)));
    });
}

function deliveriesCommand(): Command {
  return common(new Command('deliveries').description('Show what was sent by a channel and what waits, newest first'))
    .argument('<name>', 'name of the channel')
    .option('--limit <number>', `at most so many messages, up to ${MOST_DELIVERIES}`, limitOf, 50)
    .addOption(new Option('--state <state>', 'only messages that stand so').choices([...NOTIFICATION_STATES]))
    .addOption(formatOption('table'))
    .action(async (name: string, options: Common & { readonly limit: number; readonly state?: string }) => {
      const query = new URLSearchParams({ limit: String(options.limit) });
      if (options.state !== undefined) query.set('state', options.state);
      const answer = await (await apiOf(options)).get(`${object(options, name)}/deliveries?${query.toString()}`);
      const { items } = notificationDeliveries.parse(answer);
      const header = [
        'CREATED',
        'STATE',
        'SEVERITY',
        'OBJECT',
        'REASON',
        'TIMES',
        'ATTEMPTS',
        'LAST',
        'NEXT',
        'DETAIL',
      ];
      printAs(options.output, items, () => formatTable(header, items.map(deliveryRow)));
    });
}

function testCommand(): Command {
  return common(new Command('test').description('Send a test message now, and say what came of it'))
    .argument('<name>', 'name of the channel')
    .addOption(formatOption('text'))
    .action(async (name: string, options: Common) => {
      const answer = notificationTest.parse(await (await apiOf(options)).create(`${object(options, name)}/test`, {}));
      const { attempt } = answer;
      printAs(options.output, answer, () => [`${attempt.outcome}${howOf(attempt)}`]);
      if (attempt.outcome === 'Delivered') return;
      throw new PlatformError('Unavailable', `Channel ${name} did not deliver the test`, { retry: 'never' });
    });
}

function channelRow({ metadata, spec, status }: NotificationChannel): readonly string[] {
  const { conditions, pending = 0, failed = 0, lastDeliveryAt = '-' } = status ?? {};
  const delivering = findCondition(conditions, 'Delivering');
  const why = [findCondition(conditions, 'Ready'), delivering].find((condition) => condition?.status === 'False');
  return [
    metadata.name,
    spec.type,
    spec.severities.join(','),
    spec.paused ? 'Paused' : (delivering?.status ?? '-'),
    String(pending),
    String(failed),
    lastDeliveryAt,
    cut(why?.message ?? ''),
  ];
}

function deliveryRow(delivery: NotificationDelivery): readonly string[] {
  const { createdAt, state, severity, object: about, reason, occurrences, attempts, dueAt } = delivery;
  const last = attempts.at(-1);
  const outcome = last?.httpStatus ?? last?.outcome ?? '-';
  return [
    ...[createdAt, state, severity, about, reason, String(occurrences), String(attempts.length), String(outcome)],
    ...[dueAt ?? '-', cut(last?.detail ?? '')],
  ];
}

function howOf({ httpStatus, milliseconds, detail }: NotificationAttempt): string {
  const status = httpStatus === undefined ? '' : `, HTTP ${httpStatus}`;
  const time = milliseconds === undefined ? '' : `, ${milliseconds} ms`;
  return `${status}${time}${detail === undefined ? '' : `: ${detail}`}`;
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_DELIVERIES) return limit;
  throw new InvalidArgumentError(`must be a whole number from 1 to ${MOST_DELIVERIES}`);
}

function cut(text: string): string {
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1)}…`;
}

function common(command: Command): Command {
  return withApiOptions(command).requiredOption('-n, --namespace <project>', 'Project of the channel');
}

function collection({ namespace }: Common): string {
  const { plural } = NOTIFICATION_CHANNEL;
  return `/apis/${apiVersionOf(NOTIFICATION_CHANNEL)}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

function object(options: Common, name: string): string {
  return `${collection(options)}/${encodeURIComponent(name)}`;
}
