import { AUDIT_PAGE_ROWS } from '@crate/api';
import type { AuditRecord, AuditRow } from '@crate/audit';
import { placeOf, rowAt, type AuditEnds, type AuditPosition } from './audit-position.js';
import { isSelected, type AuditSelection } from './audit-selection.js';
import type { AuditSource } from './audit-sources.js';

/** A record of one of the logs, and how far all of them are read with it. */
export interface MergedRecord {
  readonly service: string;
  readonly row: AuditRow;
  readonly record: AuditRecord;
  readonly position: AuditPosition;
}

export interface MergedRange {
  readonly after: AuditPosition;
  readonly upTo: AuditPosition;
  readonly selection: AuditSelection;
  /** Records read from one log at a time; default: as many as fit. */
  readonly pageRows?: number;
}

/** The audit logs of all services as one, by time; the order within a log is kept. */
export class MergedAudit {
  constructor(readonly sources: readonly AuditSource[]) {}

  /** Where all logs end now. */
  async heads(): Promise<AuditPosition> {
    return (await this.ends()).heads;
  }

  async ends(): Promise<AuditEnds> {
    const states = await Promise.all(this.sources.map((source) => source.state()));
    const heads = states.map(({ head, epoch }) => placeOf(head.seq, epoch));
    return { heads, floors: states.map(({ floor, epoch }) => placeOf(floor.seq, epoch)) };
  }

  /** Reads a page of each log at a time, so a long range takes little memory. */
  async *records(range: MergedRange): AsyncGenerator<MergedRecord> {
    const readers = this.sources.map((source, index) => new LogReader(source, range, index));
    for (;;) {
      const fronts = await Promise.all(readers.map((reader) => reader.front()));
      const times = fronts.map((front) => front?.record.time ?? '');
      const next = fronts.reduce(
        (best, front, index) => (front && (best < 0 || (times[index] ?? '') < (times[best] ?? '')) ? index : best),
        -1,
      );
      const taken = readers[next]?.take();
      if (!taken) return;
      yield { ...taken, service: this.sources[next]?.service ?? '', position: readers.map(({ at }) => at) };
    }
  }
}

interface Parsed {
  readonly row: AuditRow;
  readonly record: AuditRecord;
}

/** One log, page by page, of the epoch in which the range ends. */
class LogReader {
  /** A place. */
  at: bigint;
  /** The place before the first row of the epoch. */
  private readonly start: bigint;
  private readTo: number;
  private readonly buffer: Parsed[] = [];
  private readonly upTo: number;

  constructor(
    private readonly source: AuditSource,
    private readonly range: MergedRange,
    index: number,
  ) {
    const end = range.upTo[index] ?? 0n;
    this.upTo = rowAt(end);
    this.start = end - BigInt(this.upTo);
    this.at = laterOf(range.after[index] ?? 0n, this.start);
    this.readTo = Number(this.at - this.start);
  }

  /** The next record; undefined at the end. */
  async front(): Promise<Parsed | undefined> {
    while (this.buffer.length === 0 && this.readTo < this.upTo) await this.fill();
    if (this.buffer.length === 0) this.at = laterOf(this.at, this.start + BigInt(this.upTo));
    return this.buffer[0];
  }

  take(): Parsed | undefined {
    const taken = this.buffer.shift();
    if (taken) this.at = this.start + BigInt(taken.row.seq);
    return taken;
  }

  private async fill(): Promise<void> {
    const { selection, pageRows = AUDIT_PAGE_ROWS } = this.range;
    const { name: _name, ...wanted } = selection;
    const page = await this.source.read({
      after: this.readTo,
      upTo: this.upTo,
      limit: Math.min(pageRows, AUDIT_PAGE_ROWS),
      ...wanted,
    });
    this.readTo = Math.max(page.readTo, this.readTo + 1);
    for (const row of page.rows) {
      const record = JSON.parse(row.line) as AuditRecord;
      if (isSelected(record, selection)) this.buffer.push({ row, record });
    }
  }
}

function laterOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
