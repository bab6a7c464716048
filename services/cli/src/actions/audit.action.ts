import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { AuditEvent, KubeList, VerifiedLog, WatchEvent } from '@crate/api';
import { invariant } from '@crate/errors';
import { Columns } from '../progress/columns.js';
import { formatTable } from '../progress/table.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';
import { FOR_OWNER, openOut } from '../output/out-file.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { timeOf } from '../commands/audit.command.js';

const TAIL_HEADER = ['TIME', 'PROJECT', 'USER', 'VERB', 'RESOURCE', 'NAME', 'CODE', 'REASON'];
const EVENTS = '/apis/lifecycle.crate.dev/v1alpha1';

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
  const out = file === undefined ? process.stdout : await openOut(file, FOR_OWNER);
  for await (const line of api.lines(`/audit/events?${queryOf(options, options.namespace).toString()}`)) {
    await write(out, `${line}\n`);
  }
  if (out !== process.stdout) await new Promise<void>((resolve) => out.end(resolve));
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

export async function runTail({ since = '10m', ...options }: Selection): Promise<void> {
  const api = await apiOf(options);
  const scope = options.namespace === undefined ? '' : `/namespaces/${options.namespace}`;
  const path = `${EVENTS}${scope}/auditevents`;
  const page = await api.get<KubeList<AuditEvent>>(`${path}?${queryOf({ ...options, since }).toString()}`);
  const columns = new Columns();
  const print = (...rows: readonly (readonly string[])[]): void => {
    for (const line of columns.lines(rows)) console.log(line);
  };
  print(TAIL_HEADER, ...page.items.map(rowOf));
  const query = queryOf(options);
  query.set('watch', 'true');
  query.set('resourceVersion', page.metadata.resourceVersion);
  for await (const line of api.lines(`${path}?${query.toString()}`)) {
    const { type, object } = JSON.parse(line) as WatchEvent<AuditEvent>;
    if (type === 'ADDED') print(rowOf(object));
  }
}

function queryOf({ user, verb, resource, since, until }: Selection, namespace?: string): URLSearchParams {
  const fields = { user, verb, resource, since: timeOf(since), until: timeOf(until) };
  const selector = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}=${value}`],
  );
  return new URLSearchParams({
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector.length === 0 ? {} : { fieldSelector: selector.join(',') }),
  });
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

async function write(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, 'drain');
}
