import { AUDIT_EVENT, type VerifiedLog } from '@crate/api';
import type { ChainProblem, ChainReport } from '@crate/audit';
import { badRequest } from '@crate/errors';
import { cutOff, isTaken, type Authorize, type Exchange, type ExtraRoute } from '@crate/resource-server';
import type { HistoryStart } from '../access/history-start.js';
import { selectedSince, selectionOf, type AuditSelection, type SelectionInput } from './audit-selection.js';
import type { AuditSource } from './audit-sources.js';
import type { MergedAudit, MergedRecord } from './merged-audit.js';

const EXPORT_PATH = '/audit/events';
const VERIFY_PATH = '/audit/verify';

/**
 * The audit log beyond what objects can be used for: `GET /audit/events` sends all that is selected as JSON lines, with the hashes
 * by which anybody can check them; `GET /audit/verify` recomputes the chains, and holds them against checkpoints that were kept elsewhere
 * (`?checkpoint=service:row:hash`).
 */
export function auditRoutes(audit: MergedAudit, authorize: Authorize, startOf: HistoryStart): readonly ExtraRoute[] {
  return [
    route(EXPORT_PATH, async (exchange) => {
      const wanted = await mayExport(exchange, authorize);
      const start = await startOf(exchange.context.caller, wanted.namespace);
      await exportRecords(audit, selectedSince(selectionOf(wanted), start), exchange);
    }),
    route(VERIFY_PATH, async ({ context, respond, query }) => {
      await authorize(context.caller, { verb: 'get', path: VERIFY_PATH });
      const known = query.getAll('checkpoint').map(parseCheckpoint);
      const logs = audit.sources.map((source) =>
        verifyAll(
          source,
          known.filter(({ service }) => service === source.service),
        ),
      );
      respond.object(200, { logs: await Promise.all(logs) });
    }),
  ];
}

function route(path: string, handle: ExtraRoute['handle']): ExtraRoute {
  return { matches: (method, asked) => method === 'GET' && asked === path, isLong: true, handle };
}

/** What is wanted, by somebody who may have it. */
async function mayExport({ query, context }: Exchange, authorize: Authorize): Promise<SelectionInput> {
  const namespace = query.get('namespace') ?? undefined;
  const { group, version, plural: resource } = AUDIT_EVENT;
  const scope = namespace === undefined ? {} : { namespace };
  await authorize(context.caller, { verb: 'list', group, version, resource, ...scope });
  return { ...scope, ...fieldSelectorOf(query) };
}

async function exportRecords(audit: MergedAudit, selection: AuditSelection, exchange: Exchange): Promise<void> {
  const { context, response } = exchange;
  const upTo = await audit.heads();
  const records = audit.records({ after: upTo.map(() => 0n), upTo, selection });
  // The first page before the answer begins: what fails until then is still an error of its own.
  let next = await records.next();
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-cache, private' });
  for (; !next.done; next = await records.next()) {
    const goesOn = response.write(lineOf(next.value)) || (await isTaken(response, context.signal));
    // Ended, it would look whole.
    if (!goesOn || context.signal.aborted) return cutOff(response);
  }
  response.end();
}

function fieldSelectorOf(query: URLSearchParams): { readonly fieldSelector?: string } {
  const known = ['namespace', 'fieldSelector'];
  const other = [...query.keys()].find((key) => !known.includes(key));
  if (other !== undefined) throw badRequest(`unknown parameter ${other}: want ${known.join(' or ')}`);
  const fieldSelector = query.get('fieldSelector');
  return fieldSelector === null ? {} : { fieldSelector };
}

/** The record stands in it byte for byte as it was hashed. */
function lineOf({ service, row }: MergedRecord): string {
  return `{"service":${JSON.stringify(service)},"seq":${row.seq},"hash":"${row.hash}","record":${row.line}}\n`;
}

async function verifyAll(source: AuditSource, known: readonly KnownCheckpoint[]): Promise<VerifiedLog> {
  let rows = 0;
  let checkpoints = 0;
  let unproven = 0;
  const problems: ChainProblem[] = (await Promise.all(known.map((each) => contradiction(source, each)))).flat();
  for (let from: ChainReport['upTo'] | undefined; ;) {
    const report = await source.verify(from);
    rows += report.checked;
    checkpoints += report.checkpoints;
    unproven += report.unproven ?? 0;
    problems.push(...report.problems);
    from = report.upTo;
    if (!report.isComplete) continue;
    return {
      service: source.service,
      isWhole: problems.length === 0,
      rows,
      checkpoints,
      unproven,
      head: from,
      problems,
    };
  }
}

interface KnownCheckpoint {
  readonly service: string;
  readonly seq: number;
  readonly hash: string;
}

function parseCheckpoint(text: string): KnownCheckpoint {
  const [, service, seq, hash] = /^([a-z0-9-]+):(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (service === undefined || hash === undefined) throw badRequest('checkpoint must be service:row:hash');
  return { service, seq: Number(seq), hash };
}

/** What a row has become since somebody noted its hash. Rows that were cut since are gone in order. */
async function contradiction(source: AuditSource, { seq, hash }: KnownCheckpoint): Promise<readonly ChainProblem[]> {
  const { rows } = await source.read({ after: seq - 1, upTo: seq, limit: 1 });
  // Asked last, so that it also tells of a row that was cut just before it was read.
  const { floor } = await source.state();
  if (seq < floor.seq) return [];
  const found = seq === floor.seq ? floor.hash : rows[0]?.hash;
  if (found === hash) return [];
  const what = found === undefined ? 'is missing' : 'is another one';
  return [{ seq, message: `Row ${seq} ${what}, or rows before it: the checkpoint that was given says so` }];
}
