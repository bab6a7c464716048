import { GENESIS, nextHash, type AuditRecord, type AuditRow } from '@crate/audit';
import type { AuditSource } from '../audit/audit-sources.js';

/** A service's audit log in memory, with a real chain. */
export class FakeAuditSource {
  readonly rows: (AuditRow & { readonly record: AuditRecord })[] = [];
  floor = GENESIS;
  /** The second in which its database was last set back; absent: the service does not tell. */
  epoch: number | undefined;
  /** What a read rejects with. */
  failure: Error | undefined;

  constructor(readonly service: string) {}

  add(time: string, record: Partial<AuditRecord> = {}): void {
    const seq = this.rows.length + 1;
    const full = {
      ...{ time, service: this.service, user: 'ada', groups: [], traceId: 't', verb: 'patch', group: 'g' },
      ...{ resource: 'things', project: 'team-a', namespace: 'team-a', name: `x-${seq}`, decision: 'allowed' as const },
      ...{ code: 200, ...record },
    };
    const line = JSON.stringify(full);
    const hash = nextHash(this.rows.at(-1)?.hash ?? GENESIS.hash, seq, line);
    this.rows.push({ seq, line, hash, record: full });
  }

  readonly source: AuditSource = {
    service: '',
    read: async ({ after, upTo = Infinity, limit, conditions = [], since = '', until = '~' }) => {
      if (this.failure) throw this.failure;
      const rows = this.rows
        .filter(
          ({ seq, record }) =>
            seq > Math.max(after, this.floor.seq) && seq <= upTo && record.time >= since && record.time < until,
        )
        .filter(({ record }) =>
          conditions.every(({ field, isEqual, value }) => (String(record[field] ?? '') === value) === isEqual),
        )
        .slice(0, limit);
      const readTo = rows.length === limit ? (rows.at(-1)?.seq ?? 0) : Math.min(upTo, this.rows.length);
      return Promise.resolve({ rows: rows.map(({ seq, line, hash }) => ({ seq, line, hash })), readTo });
    },
    state: async () => {
      if (this.failure) throw this.failure;
      const last = this.rows.at(-1);
      const epoch = this.epoch === undefined ? {} : { epoch: this.epoch };
      return Promise.resolve({
        head: last ? { seq: last.seq, hash: last.hash } : GENESIS,
        floor: this.floor,
        ...epoch,
      });
    },
    verify: async (from) => {
      const start = from?.seq ?? 0;
      const row = this.rows[Math.min(start + 2, this.rows.length) - 1];
      const isComplete = start + 2 >= this.rows.length;
      const upTo = row ? { seq: row.seq, hash: row.hash } : GENESIS;
      return Promise.resolve({
        checked: upTo.seq - start,
        checkpoints: 0,
        unproven: 0,
        upTo,
        isComplete,
        problems: [],
      });
    },
  };

  named(): AuditSource {
    return { ...this.source, service: this.service };
  }
}
