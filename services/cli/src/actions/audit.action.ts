import { once } from 'node:events';
import { AUDIT_EVENT, type AuditEvent, type KubeList, type VerifiedLog, withoutUndefined } from '@crate/api';
import { hasCode, invariant } from '@crate/errors';
import { LatestEvents } from '../audit/latest-events.js';
import type { ApiClient } from '../client/api-client.js';
import { Columns } from '../progress/columns.js';
import { formatTable } from '../progress/table.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';
import { FOR_OWNER, writeOutLong } from '../output/out-file.js';
import { endWithReader } from '../output/reader.js';
import { pagesOf } from '../objects/lists.js';
import { watchChanges } from '../objects/watch.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { timeOf } from '../commands/audit.command.js';

const TAIL_HEADER = ['TIME', 'PROJECT', 'USER', 'VERB', 'RESOURCE', 'NAME', 'CODE', 'REASON'];

interface Selection extends ApiOptions {
  readonly namespace?: string;
  readonly user?: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly since?: string;
  readonly until?: string;
}

interface ExportOptions extends Selection {
  readonly out?: string;
  readonly output?: string;
}

export async function runExport(options: ExportOptions): Promise<void> {
  const api = await apiOf(options);
  const file = options.out ?? options.output;
  const text = textOf(api.lines(`/audit/events?${queryOf(options).toString()}`));
  if (file !== undefined) return writeOutLong(file, text, FOR_OWNER);
  endWithReader();
  for await (const line of text) {
    if (!process.stdout.write(line)) await once(process.stdout, 'drain');
  }
}

async function* textOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

export async function runVerify(
  options: ApiOptions & { readonly checkpoint: readonly string[]; readonly output: OutputFormat },
): Promise<void> {
  const api = await apiOf(options);
  const query = new URLSearchParams(options.checkpoint.map((text): [string, string] => ['checkpoint', text]));
  let text = '';
  for await (const line of api.lines(`/audit/verify?${query.toString()}`)) text += line;
  const { logs } = JSON.parse(text) as { readonly logs: readonly VerifiedLog[] };
  printAs(options.output, logs, () => verdict(logs));
  if (!logs.every(({ isWhole }) => isWhole)) throw invariant('The audit log is not as it was written');
}

/** Prints what was, then what comes, over connections that end. Throws what the API refuses. */
export async function runTail(selection: Selection): Promise<void> {
  const api = await apiOf(selection);
  const columns = new Columns();
  const print = (...rows: readonly (readonly string[])[]): void => {
    for (const line of columns.lines(rows)) console.log(line);
  };
  const latest = new LatestEvents();
  endWithReader();
  const { since = '10m' } = selection;
  for (let head = [TAIL_HEADER]; ; head = []) {
    const { events, resourceVersion } = await eventsSince(api, selection, latest.time ?? since);
    print(...head, ...events.filter((event) => latest.isNew(event)).map(rowOf));
    try {
      for await (const event of eventsAfter(api, selection, resourceVersion)) {
        latest.add(event);
        print(rowOf(event));
      }
    } catch (error) {
      if (!hasCode(error, 'Gone')) throw error;
      console.error(
        'What came next is not in the log any more, or more services keep one: going on with what there is',
      );
    }
  }
}

async function eventsSince(
  api: ApiClient,
  selection: Selection,
  since: string,
): Promise<{ readonly events: readonly AuditEvent[]; readonly resourceVersion: string }> {
  const pages = await pagesOf<KubeList<AuditEvent>>(api, AUDIT_EVENT, selectedBy({ ...selection, since }));
  const resourceVersion = pages.at(-1)?.metadata.resourceVersion ?? '';
  return { events: pages.flatMap(({ items }) => items), resourceVersion };
}

async function* eventsAfter(
  api: ApiClient,
  { since: _since, ...selection }: Selection,
  resourceVersion: string,
): AsyncGenerator<AuditEvent> {
  for await (const change of watchChanges(api, { ...selectedBy(selection), kind: AUDIT_EVENT, resourceVersion })) {
    yield change.object as unknown as AuditEvent;
  }
}

function queryOf(selection: Selection): URLSearchParams {
  return new URLSearchParams(withoutUndefined(selectedBy(selection)));
}

function selectedBy({ namespace, user, verb, resource, since, until }: Selection): {
  readonly namespace: string | undefined;
  readonly fieldSelector: string | undefined;
} {
  const stated = withoutUndefined({ user, verb, resource, since: timeOf(since), until: timeOf(until) });
  const fieldSelector = Object.entries(stated)
    .map(([field, value]) => `${field}=${value}`)
    .join(',');
  return { namespace, fieldSelector: fieldSelector || undefined };
}

function verdict(logs: readonly VerifiedLog[]): readonly string[] {
  const rows = logs.map(({ service, isWhole, rows: count, checkpoints, head }) => [
    service,
    isWhole ? 'whole' : 'DAMAGED',
    String(count),
    String(checkpoints),
    `${service}:${head.seq}:${head.hash}`,
  ]);
  const problems = logs.flatMap(({ service, problems: found }) => found.map(({ message }) => `${service}: ${message}`));
  const unproven = logs.flatMap(({ service, unproven: count = 0 }) =>
    count === 0
      ? []
      : [
          `${service}: ${count} checkpoints prove nothing: the public keys that they are signed for are not in its ${service}.past.jwks.json`,
        ],
  );
  return [...formatTable(['SERVICE', 'LOG', 'ROWS', 'CHECKPOINTS', 'HEAD'], rows), ...problems, ...unproven];
}

function rowOf({ time, user, verb, object, code, reason, metadata }: AuditEvent): readonly string[] {
  const { resource, subresource, name } = object;
  const target = [resource, subresource].filter(Boolean).join('/');
  // What has no Project or no name leaves no gap for the next column to move into.
  return [time, metadata.namespace, user, verb, target, name, String(code), reason].map((cell) => cell || '-');
}
