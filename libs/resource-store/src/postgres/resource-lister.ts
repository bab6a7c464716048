import { formatApiVersion, type KubeList, type KubeObject } from '@crate/api';
import type { SqlRunner } from '@crate/database';
import { formatContinueToken, parseContinueToken, type ContinueToken } from '../continue-token.js';
import { compareKeys } from '../object/object-key.js';
import type { StoreListOptions } from '../resource-store.js';
import { formatRevision, goneError } from '../revision.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import { collectionSql, selectorSql, SqlParameters } from '../selector/selector-sql.js';

/** The state of the log, and one object of the page; without an object when the page is empty. */
interface PageRow {
  readonly head: string;
  readonly floor: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject | null;
}

/** Lists of one query. Each page is one statement, so that revision and objects are of the same snapshot. */
export class ResourceLister {
  constructor(private readonly sql: SqlRunner) {}

  /** Throws Gone when a later page's snapshot is older than the log, BadRequest for a token that is none. */
  async list(query: CompiledQuery, options: StoreListOptions): Promise<KubeList> {
    const after = options.continue === undefined ? undefined : parseContinueToken(options.continue);
    const parameters = new SqlParameters();
    const source = after ? pastObjectsSql(query, after, parameters) : currentObjectsSql(query, parameters);
    const limit = options.limit ? `LIMIT ${parameters.add(options.limit + 1)}` : '';
    const rows = await this.sql.rowsOnce<PageRow>(
      `SELECT head.revision AS head, floor.revision AS floor, page.*
       FROM resource_head AS head CROSS JOIN resource_floor AS floor LEFT JOIN LATERAL (
         SELECT namespace, name, object FROM (${source}) AS objects
         WHERE ${selectorSql(query, parameters)} ORDER BY namespace, name ${limit}
       ) AS page ON true`,
      parameters.values,
    );
    return listOf(query, rows, after, options.limit);
  }
}

function currentObjectsSql(query: CompiledQuery, parameters: SqlParameters): string {
  return `SELECT namespace, name, labels, object FROM resources WHERE ${collectionSql(query, parameters)}`;
}

/** Objects as they were at the token's revision: those unchanged since, and what the first later change replaced. */
function pastObjectsSql(query: CompiledQuery, after: ContinueToken, parameters: SqlParameters): string {
  const revision = `${parameters.add(after.revision)}::bigint`;
  const isBehind = `(namespace, name) > (${parameters.add(after.namespace)}::text COLLATE "C", ${parameters.add(after.name)}::text COLLATE "C")`;
  const isInCollection = collectionSql(query, parameters);
  return `SELECT namespace, name, labels, object FROM resources
      WHERE ${isInCollection} AND ${isBehind} AND revision <= ${revision}
    UNION ALL
    SELECT previous.namespace, previous.name, coalesce(previous.object #> '{metadata,labels}', '{}'), previous.object
      FROM resource_changes AS previous JOIN (
        SELECT previous_revision FROM resource_changes
        WHERE ${isInCollection} AND ${isBehind} AND revision > ${revision} AND previous_revision <= ${revision}
      ) AS change ON previous.revision = change.previous_revision`;
}

function listOf(
  query: CompiledQuery,
  rows: readonly PageRow[],
  after: ContinueToken | undefined,
  limit: number | undefined,
): KubeList {
  const head = Number(rows[0]?.head);
  const floor = Number(rows[0]?.floor);
  const revision = after?.revision ?? head;
  if (revision < floor || revision > head) throw goneError(revision, floor, head);

  // They come in order, which SQL does not promise through a join; sorting what is sorted costs next to nothing.
  const found = rows.filter((row) => row.object !== null).sort(compareKeys);
  const page = limit ? found.slice(0, limit) : found;
  const last = page.at(-1);
  const isMore = last !== undefined && page.length < found.length;
  return {
    apiVersion: formatApiVersion(query.group, 'v1'),
    kind: `${query.kind}List`,
    metadata: {
      resourceVersion: formatRevision(revision),
      ...(isMore ? { continue: formatContinueToken({ revision, namespace: last.namespace, name: last.name }) } : {}),
    },
    items: page.map((row) => row.object as KubeObject),
  };
}
