import type { KubeObject } from '@crate/api';
import type { SqlRunner } from '@crate/database';
import type { Change } from '../change/change.js';
import { freezeJson } from '../object/json.js';
import { goneError, type Revision } from '../revision.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import { CHANGE_COLUMNS, changeOf, type ChangeRow, type LoggedChange } from './resource-row.js';

interface LogState {
  readonly head: string;
  readonly floor: string;
}

/** The state of the log and one of its rows; without a row when the page is empty. */
type LogRow = LogState & { readonly [column in keyof ChangeRow]: ChangeRow[column] | null };

const STATE = `SELECT head.revision AS head, floor.revision AS floor
  FROM resource_head AS head CROSS JOIN resource_floor AS floor`;

/** A page and the log's state are read by one statement, so that nothing falls between them. */
const PAGE = (
  condition: string,
  [cursor, limit] = ['$1', '$2'],
): string => `SELECT state.head, state.floor, page.* FROM (${STATE}) AS state
  LEFT JOIN LATERAL (
    SELECT ${CHANGE_COLUMNS} FROM resource_changes WHERE revision > ${cursor} ${condition} ORDER BY revision LIMIT ${limit}
  ) AS page ON true`;

/**
 * The same index serves every such page. A planner that sees the values finds a plan for them a little cheaper than one for all, and makes one each
 * time, which takes longer than to look: behind a subquery it does not see them.
 */
const ALL_CHANGES = PAGE('', ['(SELECT $1::bigint)', '(SELECT $2::bigint)']);
const CHANGES_OF_KIND = PAGE('AND api_group = $3 AND kind = $4');
const CHANGES_OF_NAMESPACE = PAGE('AND api_group = $3 AND kind = $4 AND namespace = $5');
const PREVIOUS = `SELECT change.revision, previous.object FROM resource_changes AS change
  JOIN resource_changes AS previous ON previous.revision = change.previous_revision WHERE change.revision = ANY ($1)`;

/** Changes in order, and how far the log was looked through for them. */
export interface LogPage {
  readonly changes: readonly LoggedChange[];
  readonly readTo: Revision;
}

/** The table `resource_changes` between floor and head. */
export class ChangeLog {
  constructor(private readonly sql: SqlRunner) {}

  async head(): Promise<Revision> {
    return (await this.state()).head;
  }

  /** Throws Gone when changes after `revision` cannot all be had. */
  async requireSince(revision: Revision): Promise<void> {
    const { head, floor } = await this.state();
    if (revision < floor || revision > head) throw goneError(revision, floor, head);
  }

  /** At most `limit` changes after `cursor`, of the query's kind and namespace or all. Throws Gone. */
  async read(cursor: Revision, limit: number, query?: CompiledQuery): Promise<LogPage> {
    const rows = await this.sql.rows<LogRow & Record<string, unknown>>(...statement(cursor, limit, query));
    const head = Number(rows[0]?.head);
    const floor = Number(rows[0]?.floor);
    if (cursor < floor || cursor > head) throw goneError(cursor, floor, head);
    const found = rows.filter((row) => row.revision !== null).map((row) => changeOf(row as ChangeRow));
    // They come in order, which SQL does not promise through a join; sorting what is sorted costs next to nothing.
    const changes = found.sort((left, right) => left.revision - right.revision);
    // A full page may have left some out; a page that is not has seen all there is.
    const readTo = changes.length === limit ? (changes.at(-1)?.revision ?? head) : head;
    return { changes, readTo };
  }

  /** The states that these changes replaced, by the revision of the change. Throws Gone when compaction was quicker. */
  async previousOf(changes: readonly Change[]): Promise<ReadonlyMap<Revision, KubeObject>> {
    const revisions = changes.filter((change) => change.type !== 'ADDED').map((change) => change.revision);
    if (revisions.length === 0) return new Map();
    const rows = await this.sql.rows<{ revision: string; object: KubeObject }>(PREVIOUS, [revisions]);
    const previous = new Map(rows.map((row) => [Number(row.revision), freezeJson(row.object)]));
    const missing = revisions.find((revision) => !previous.has(revision));
    if (missing === undefined) return previous;
    const { head, floor } = await this.state();
    throw goneError(missing, floor, head);
  }

  /** Forgets all but the newest `keep` changes. */
  async compact(keep: number): Promise<void> {
    await this.sql.execute('SELECT compact_resource_changes($1)', [keep]);
  }

  /** Forgets changes older than the age as well; as exactly as it is called often. */
  async expire(keep: number, maxAgeMs: number): Promise<void> {
    const age = "$2::double precision * interval '1 millisecond'";
    await this.sql.execute(`SELECT expire_resource_changes($1, ${age})`, [keep, maxAgeMs]);
  }

  /** Where the log ends, and the newest revision that was forgotten. */
  async state(): Promise<{ readonly head: Revision; readonly floor: Revision }> {
    const [row] = await this.sql.rows<LogState & Record<string, unknown>>(STATE);
    return { head: Number(row?.head), floor: Number(row?.floor) };
  }
}

function statement(cursor: Revision, limit: number, query?: CompiledQuery): [string, unknown[]] {
  if (!query) return [ALL_CHANGES, [cursor, limit]];
  const { group, kind, namespace } = query;
  if (namespace === undefined) return [CHANGES_OF_KIND, [cursor, limit, group, kind]];
  return [CHANGES_OF_NAMESPACE, [cursor, limit, group, kind, namespace]];
}
