import pg from 'pg';
import type { KubeObject } from './kube-object.js';
import type { SealedRow } from './sealed-record.js';

export const SCHEMAS = ['lifecycle', 'cloud_mgmt', 'cluster_mgmt', 'policy_mgmt'] as const;
export type Schema = (typeof SCHEMAS)[number];

/** A row of a service's log of changes. */
export interface Change {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: string;
  readonly uid: string;
  readonly object: KubeObject;
}

/** What a log has of a kind. */
export interface Log {
  readonly changes: readonly Change[];
  /** Of the newest change of any kind, also when it is forgotten already. */
  readonly newest: number;
  /** Up to here changes were forgotten. */
  readonly floor: number;
}

type LogRow = Omit<Change, 'revision'> & {
  readonly revision: string | null;
  readonly newest: string;
  readonly floor: string;
};

/** How much of what a service keeps stands under one of its keys. */
export interface KeyUse {
  readonly schema: Schema;
  readonly key_id: string;
  readonly records: number;
}

/** Tables in which each row stands under a key. */
const SEALED = [
  ...SCHEMAS.flatMap((schema) => [`${schema}.secret_versions`, `${schema}.secret_heads`]),
  'policy_mgmt.policy_documents',
];

/** A run of Terraform for an Infrastructure, or of rke for a KubernetesCluster. */
export interface RunRow {
  readonly id: string;
  /** Uid of what it is for. */
  readonly owner: string;
  /** Of Terraform: `apply` or `destroy`; of rke: `engine`. */
  readonly kind: string;
  /** Generation that Terraform works towards; null: nobody says. */
  readonly generation: number | null;
  readonly state: string;
  readonly started_at: Date;
  readonly ended_at: Date | null;
}

/** Reads the services' tables with SQL of its own. */
export class Records {
  private constructor(private readonly pool: pg.Pool) {}

  static open(url: string): Records {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    // Postgres is restarted on purpose; the next query says what matters.
    pool.on('error', () => undefined);
    return new Records(pool);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  async objects(schema: Schema, kind: string): Promise<readonly KubeObject[]> {
    const sql = `SELECT object FROM ${schema}.resources WHERE kind = $1 ORDER BY namespace, name`;
    return (await this.pool.query<{ object: KubeObject }>(sql, [kind])).rows.map(({ object }) => object);
  }

  /** All at one moment: what was forgotten then, and what was not. */
  async changes(schema: Schema, kind: string, after: number): Promise<Log> {
    const sql = `SELECT h.revision AS newest, f.revision AS floor, c.revision, type, kind, uid, object
      FROM ${schema}.resource_head h CROSS JOIN ${schema}.resource_floor f
      LEFT JOIN ${schema}.resource_changes c ON kind = $1 AND c.revision > $2 ORDER BY c.revision`;
    const { rows } = await this.pool.query<LogRow>(sql, [kind, after]);
    return {
      changes: rows
        .filter(({ revision }) => revision !== null)
        .map(({ newest: _newest, floor: _floor, ...row }) => ({ ...row, revision: Number(row.revision) })),
      newest: Number(rows[0]?.newest ?? 0),
      floor: Number(rows[0]?.floor ?? 0),
    };
  }

  /** Revision of the newest change, also when it is forgotten already. */
  async newest(schema: Schema): Promise<number> {
    const { rows } = await this.pool.query<{ revision: string }>(`SELECT revision FROM ${schema}.resource_head`);
    return Number(rows[0]?.revision ?? 0);
  }

  /** The oldest change that was forgotten already. */
  async floor(schema: Schema): Promise<number> {
    const { rows } = await this.pool.query<{ revision: string }>(`SELECT revision FROM ${schema}.resource_floor`);
    return Number(rows[0]?.revision ?? 0);
  }

  async secrets(schema: Schema): Promise<readonly SealedRow[]> {
    const sql = `SELECT * FROM ${schema}.secret_versions ORDER BY owner_uid, kind, serial`;
    return (await this.pool.query<SealedRow>(sql)).rows;
  }

  async keyUses(): Promise<readonly KeyUse[]> {
    const each = SEALED.map((table) => `SELECT split_part('${table}', '.', 1) AS schema, key_id FROM ${table}`);
    const sql = `SELECT schema, key_id, count(*)::int AS records FROM (${each.join(' UNION ALL ')}) AS sealed
      GROUP BY schema, key_id ORDER BY schema, key_id`;
    return (await this.pool.query<KeyUse>(sql)).rows;
  }

  /** What Infrastructures were asked about drift and have answered, by uid, where nothing differs. */
  async soundAnswers(): Promise<ReadonlyMap<string, string>> {
    const sql = `SELECT infrastructure_uid AS uid, detail->>'answered' AS answered FROM cloud_mgmt.drift_checks WHERE NOT is_drifted`;
    const { rows } = await this.pool.query<{ uid: string; answered: string | null }>(sql);
    return new Map(rows.map(({ uid, answered }) => [uid, answered ?? '']));
  }

  /** Runs that change something, in their order by owner. */
  async runs(): Promise<readonly RunRow[]> {
    const sql = `SELECT id, infrastructure_uid AS owner, kind, generation, state, started_at, ended_at
      FROM cloud_mgmt.terraform_runs WHERE kind <> 'check'
      UNION ALL SELECT id, cluster_uid, 'engine', NULL, state, started_at, ended_at FROM cluster_mgmt.engine_runs
      ORDER BY owner, started_at`;
    return (await this.pool.query<RunRow>(sql)).rows;
  }
}
