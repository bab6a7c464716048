import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Command, InvalidArgumentError } from 'commander';
import type { AuditEvent, KubeList, WatchEvent } from '@crate/api';
import { invariant } from '@crate/errors';
import { formatTable } from '../progress/table.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

const EVENTS = '/apis/lifecycle.crate.dev/v1alpha1';
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

interface Selection extends ApiOptions {
  readonly namespace?: string;
  readonly user?: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly since?: string;
  readonly until?: string;
}

interface VerifiedLog {
  readonly service: string;
  readonly isWhole: boolean;
  readonly rows: number;
  readonly checkpoints: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly problems: readonly { readonly seq: number; readonly message: string }[];
}

/** `crate audit`: who did what, over all services. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('Who did what, over all services')
    .addCommand(exportCommand())
    .addCommand(verifyCommand())
    .addCommand(tailCommand());
}

function exportCommand(): Command {
  return selecting(new Command('export').description('Print the audit log as JSON lines, each with its hash'))
    .option('-o, --output <file>', 'write to a file')
    .action(async (options: Selection & { readonly output?: string }) => {
      const api = await apiOf(options);
      const out = options.output === undefined ? process.stdout : createWriteStream(options.output, { mode: 0o600 });
      for await (const line of api.lines(`/audit/events?${queryOf(options, options.namespace).toString()}`)) {
        await write(out, `${line}\n`);
      }
      if (out !== process.stdout) await new Promise<void>((resolve) => out.end(resolve));
    });
}

function verifyCommand(): Command {
  return withApiOptions(
    new Command('verify').description('Recompute the hash chains; fails when somebody changed, added or removed a row'),
  )
    .option('--checkpoint <service:row:hash>', 'a checkpoint from the logs; may be repeated', collect, [])
    .addOption(formatOption('table'))
    .action(async (options: ApiOptions & { readonly checkpoint: readonly string[]; readonly output: OutputFormat }) => {
      const api = await apiOf(options);
      const query = new URLSearchParams(options.checkpoint.map((text): [string, string] => ['checkpoint', text]));
      let text = '';
      for await (const line of api.lines(`/audit/verify?${query.toString()}`)) text += line;
      const { logs } = JSON.parse(text) as { readonly logs: readonly VerifiedLog[] };
      printAs(options.output, logs, () => verdict(logs));
      if (!logs.every(({ isWhole }) => isWhole)) throw invariant('The audit log is not as it was written');
    });
}

function tailCommand(): Command {
  return selecting(new Command('tail').description('Print calls as they are recorded, until interrupted')).action(
    async ({ since = '10m', ...options }: Selection) => {
      const api = await apiOf(options);
      const scope = options.namespace === undefined ? '' : `/namespaces/${options.namespace}`;
      const path = `${EVENTS}${scope}/auditevents`;
      const page = await api.get<KubeList<AuditEvent>>(`${path}?${queryOf({ ...options, since }).toString()}`);
      for (const event of page.items) console.log(lineOf(event));
      const query = queryOf(options);
      query.set('watch', 'true');
      query.set('resourceVersion', page.metadata.resourceVersion);
      for await (const line of api.lines(`${path}?${query.toString()}`)) {
        const { type, object } = JSON.parse(line) as WatchEvent<AuditEvent>;
        if (type === 'ADDED') console.log(lineOf(object));
      }
    },
  );
}

function selecting(command: Command): Command {
  return withApiOptions(command)
    .option('-n, --namespace <project>', 'only what concerns this Project')
    .option('--user <name>', 'only what this user did')
    .option('--verb <verb>', 'only this verb, such as delete')
    .option('--resource <plural>', 'only this resource, such as clusters')
    .option('--since <time>', 'a time such as 2026-01-31T12:00:00Z, or how long ago, such as 2h', checkTime)
    .option('--until <time>', 'as --since', checkTime);
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

/** A time ago becomes the time it was. */
function timeOf(text: string | undefined): string | undefined {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text ?? '') ?? [];
  return count === undefined ? text : new Date(Date.now() - Number(count) * (UNITS[unit] ?? 0)).toISOString();
}

function checkTime(text: string): string {
  if (!Number.isNaN(Date.parse(timeOf(text) ?? ''))) return text;
  throw new InvalidArgumentError('want a time such as 2026-01-31T12:00:00Z, or how long ago, such as 2h');
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
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
  return [...formatTable(['SERVICE', 'LOG', 'ROWS', 'CHECKPOINTS', 'HEAD'], rows), ...problems];
}

function lineOf({ time, user, verb, object, code, reason = '', metadata }: AuditEvent): string {
  const { resource, subresource, name = '' } = object;
  const target = [resource, subresource].filter(Boolean).join('/');
  return [time, metadata.namespace, user, verb, target, name, code, reason].filter((part) => part !== '').join('  ');
}

async function write(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, 'drain');
}
