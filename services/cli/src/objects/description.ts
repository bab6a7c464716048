import type { Condition, KubeObject } from '@crate/api';
import { formatTable } from '../progress/table.js';
import { dataText } from '../output/print.js';
import { oneLine, visible } from '../output/visible.js';
import { blockersOf, stageOf } from './stage.js';

const INDENT = '  ';

interface ToldEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTimestamp?: string | null;
  readonly count?: number;
}

/** An object as a person reads it: who it is, how it is, what was asked for, and what happened, or why that cannot be told. */
export function describe(object: KubeObject, events: readonly KubeObject[] | Error): string {
  const { metadata, kind, apiVersion } = object;
  const status = (object['status'] ?? {}) as Readonly<Record<string, unknown>>;
  const { conditions: _conditions, progress: _progress, ...rest } = status;
  const blocks = [
    heads([
      ['Name', metadata.name],
      ['Project', metadata.namespace],
      ['Kind', `${kind} (${apiVersion})`],
      ['Created', metadata.creationTimestamp],
      ['Deleting since', metadata.deletionTimestamp],
      ['Labels', pairs(metadata.labels)],
      ['Annotations', pairs(metadata.annotations)],
      ['Now', oneLine(stageOf(object).message) || undefined],
    ]),
    ...blockersOf(object),
    ...section('Spec', dataOf(object['spec'])),
    ...section('Status', dataOf(rest)),
    ...conditionLines((status['conditions'] ?? []) as readonly Condition[]),
    ...(events instanceof Error
      ? [`Events: ${events.message}`]
      : eventLines(events as unknown as readonly ToldEvent[])),
  ];
  return visible(`${blocks.join('\n')}\n`);
}

function heads(rows: readonly (readonly [string, string | undefined])[]): string {
  const stated = rows.filter(([, value]) => value !== undefined);
  return stated.map(([name, value]) => `${`${name}:`.padEnd(16)}${value}`).join('\n');
}

/** What kubectl remembers of a file is the whole spec again. */
function pairs(values: Readonly<Record<string, string>> = {}): string | undefined {
  const shown = Object.entries(values).filter(([key]) => !key.startsWith('kubectl.kubernetes.io/'));
  return shown.length === 0
    ? undefined
    : shown.map(([key, value]) => oneLine(`${key}=${value}`)).join(`\n${' '.repeat(16)}`);
}

function dataOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return '';
  return dataText('yaml', value).trimEnd();
}

function section(title: string, text: string): readonly string[] {
  if (text === '') return [];
  return [
    `${title}:`,
    text
      .split('\n')
      .map((line) => `${INDENT}${line}`)
      .join('\n'),
  ];
}

function conditionLines(conditions: readonly Condition[]): readonly string[] {
  if (conditions.length === 0) return [];
  const rows = conditions.map(({ type, status, reason, lastTransitionTime, message }) => [
    ...[type, status, reason, lastTransitionTime, message],
  ]);
  return section('Conditions', formatTable(['TYPE', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'], rows).join('\n'));
}

function eventLines(events: readonly ToldEvent[]): readonly string[] {
  if (events.length === 0) return ['Events: none that are kept'];
  const inOrder = [...events].sort((left, right) => timeOf(left).localeCompare(timeOf(right)));
  const rows = inOrder.map((event) => {
    const { type, reason, message, count = 1 } = event;
    return [timeOf(event), type, reason, count > 1 ? `${message} (${count} times)` : message];
  });
  return section('Events', formatTable(['TIME', 'TYPE', 'REASON', 'MESSAGE'], rows).join('\n'));
}

function timeOf({ lastTimestamp }: ToldEvent): string {
  return lastTimestamp ?? '';
}
