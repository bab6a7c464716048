import {
  apiVersionOf,
  findCondition,
  NOTIFICATION_CHANNEL,
  notificationDeliveries,
  notificationTest,
  type KubeList,
  type NotificationAttempt,
  type NotificationChannel,
  type NotificationDelivery,
} from '@crate/api';
import { PlatformError } from '@crate/errors';
import { printAs, type OutputFormat } from '../output/print.js';
import { formatTable } from '../progress/table.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';

interface Common extends ApiOptions {
  readonly namespace: string;
  readonly output: OutputFormat;
}
const LONGEST_CELL = 80;

export async function runList(options: Common): Promise<void> {
  const { items } = await (await apiOf(options)).get<KubeList<NotificationChannel>>(collection(options));
  const header = ['NAME', 'TYPE', 'SEVERITIES', 'DELIVERING', 'PENDING', 'FAILED', 'LAST-DELIVERY', 'WHY'];
  printAs(options.output, items, () => formatTable(header, items.map(channelRow)));
}

export async function runDeliveries(
  name: string,
  options: Common & { readonly limit: number; readonly state?: string },
): Promise<void> {
  const query = new URLSearchParams({ limit: String(options.limit) });
  if (options.state !== undefined) query.set('state', options.state);
  const answer = await (await apiOf(options)).get(`${object(options, name)}/deliveries?${query.toString()}`);
  const { items } = notificationDeliveries.parse(answer);
  const header = ['CREATED', 'STATE', 'SEVERITY', 'OBJECT', 'REASON', 'TIMES', 'ATTEMPTS', 'LAST', 'NEXT', 'DETAIL'];
  printAs(options.output, items, () => formatTable(header, items.map(deliveryRow)));
}

export async function runTest(name: string, options: Common): Promise<void> {
  const answer = notificationTest.parse(await (await apiOf(options)).create(`${object(options, name)}/test`, {}));
  const { attempt } = answer;
  printAs(options.output, answer, () => [`${attempt.outcome}${howOf(attempt)}`]);
  if (attempt.outcome === 'Delivered') return;
  throw new PlatformError('Unavailable', `Channel ${name} did not deliver the test`, { retry: 'never' });
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

function cut(text: string): string {
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL - 1)}…`;
}

function collection({ namespace }: Common): string {
  const { plural } = NOTIFICATION_CHANNEL;
  return `/apis/${apiVersionOf(NOTIFICATION_CHANNEL)}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

function object(options: Common, name: string): string {
  return `${collection(options)}/${encodeURIComponent(name)}`;
}
