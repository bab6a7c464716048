import { cString, parametersOf, type ClientMessage } from './client-messages.js';

/** Written by every pass or by the clock: no step of an operation. */
const NOISE =
  /work_items|resource_marks|audit_|_events|run_log_parts|heartbeat_at|service_replicas|service_reports|events\b|pg_/;

/** Statements that may write, by their first word, and what they write, also in front of the statement proper (`WITH … AS (DELETE …)`). */
const WRITING = /^\s*(?:WITH|INSERT|UPDATE|DELETE)\b/i;
const WRITES = /\b(INSERT\s+INTO|DELETE\s+FROM|UPDATE(?=\s+[\w".]+\s+(?:AS\s+\w+\s+)?SET\b))\s+([\w".]+)/gi;

interface Change {
  readonly type: string;
  readonly kind: string;
}

/**
 * Reads what one connection asks and names what each request commits, such as `MODIFIED Infrastructure` or
 * `INSERT secret_versions`. Requests that commit nothing of interest have no name.
 */
export class CommitLabels {
  private readonly prepared = new Map<string, string>();
  private isInTransaction = false;
  private written: string[] = [];

  /** `request` ends with the message after which the server answers. */
  read(request: readonly ClientMessage[]): string | undefined {
    for (const { type, body } of request) {
      if (type === 'P') this.prepare(body);
      else if (type === 'B') this.statement(this.boundSql(body), body);
      else if (type === 'Q') this.statement(cString(body).text);
    }
    if (this.isInTransaction || this.written.length === 0) return undefined;
    const label = [...new Set(this.written)].join(' + ');
    this.written = [];
    return label;
  }

  private prepare(body: Buffer): void {
    const { text: name, end } = cString(body);
    this.prepared.set(name, cString(body, end).text);
  }

  private boundSql(body: Buffer): string {
    const { end } = cString(body);
    return this.prepared.get(cString(body, end).text) ?? '';
  }

  private statement(sql: string, bind?: Buffer): void {
    const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? '';
    if (verb === 'BEGIN') this.isInTransaction = true;
    if (verb === 'COMMIT') this.isInTransaction = false;
    if (verb === 'ROLLBACK') [this.isInTransaction, this.written] = [false, []];
    if (sql.includes('commit_resource_writes') && bind) this.written.push(...changesIn(bind));
    else if (WRITING.test(sql) && !NOISE.test(sql)) this.written.push(...writesIn(sql));
  }
}

function changesIn(bind: Buffer): string[] {
  const [json = '[]'] = parametersOf(bind);
  const writes = JSON.parse(json) as readonly { readonly changes?: readonly Change[] }[];
  const changed = writes.flatMap(({ changes = [] }) => changes);
  // What people are told follows from what is done.
  return changed.filter(({ kind }) => kind !== 'Event').map(({ type, kind }) => `${type} ${kind}`);
}

function writesIn(sql: string): string[] {
  return [...sql.matchAll(WRITES)].map(([, verb = '', table = '']) => {
    const name = table.replaceAll('"', '').split('.').at(-1) ?? '';
    return `${verb.slice(0, 6).toUpperCase()} ${name}`;
  });
}
