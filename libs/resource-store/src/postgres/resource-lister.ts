import type { KubeList, KubeObject } from '@crate/api';
import type { SqlRunner } from '@crate/database';
import type { ContinueToken } from '../continue-token.js';
import { listOf, planPage, type PagePlan } from '../list-page.js';
import { compareKeys } from '../object/object-key.js';
import type { StoreListOptions } from '../resource-store.js';
import type { Revision } from '../revision.js';
import type { CompiledQuery } from '../selector/compiled-query.js';
import { collectionSql, selectorSql, SqlParameters } from '../selector/selector-sql.js';

/** The state of the log, and one object of the page; without an object when the page is empty. */
interface PageRow {
  readonly head: string;
  readonly floor: string;
  readonly count: string | null;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubeObject | null;
}

/** Lists of one query. Each page is one statement, so that revision and objects are of the same snapshot. */
export class ResourceLister {
  constructor(private readonly sql: SqlRunner) {}

  /** Throws Gone, Timeout or BadRequest as `ResourceStore.list` says. */
  async list(query: CompiledQuery, options: StoreListOptions): Promise<KubeList> {
    const plan = planPage(query, options);
    const parameters = new SqlParameters();
    const rows = await this.sql.rowsOnce<PageRow>(pageSql(plan, parameters), parameters.values);
    // They come in order, which SQL does not promise through a join; sorting what is sorted costs next to nothing.
    const found = rows.filter((row) => row.object !== null).sort(compareKeys);
    const [first] = rows;
    return listOf(plan, {
      head: Number(first?.head),
      floor: Number(first?.floor),
      count: plan.isCounted ? Number(first?.count) : undefined,
      objects: found.map((row) => row.object as KubeObject),
    });
  }
}

function pageSql(plan: PagePlan, parameters: SqlParameters): string {
  const { query, revision, after, limit } = plan;
  const source =
    revision === undefined
      ? currentObjectsSql(query, after, parameters)
      : pastObjectsSql(query, { revision, after }, parameters);
  const count = plan.isCounted ? `(SELECT count(*) FROM (${source}) AS objects)` : 'NULL';
  const end = limit ? `LIMIT ${parameters.add(limit + 1)}` : '';
  return `SELECT head.revision AS head, floor.revision AS floor, ${count} AS count, page.*
    FROM resource_head AS head CROSS JOIN resource_floor AS floor LEFT JOIN LATERAL (${shownSql(
      `SELECT namespace, name, object FROM (${source}) AS objects
        WHERE ${selectorSql(query, parameters)} ORDER BY namespace, name ${end}`,
      plan,
      parameters,
    )}) AS page ON true`;
}

/** What is left out is not sent. Each object is decompressed once (an empty one is added to it), not for each part that is taken out of it. */
function shownSql(page: string, { onlySpec }: PagePlan, parameters: SqlParameters): string {
  if (!onlySpec) return page;
  return `SELECT namespace, name, jsonb_build_object('apiVersion', object -> 'apiVersion', 'kind', object -> 'kind',
    'metadata', (object -> 'metadata') - 'managedFields', 'spec', coalesce((SELECT jsonb_object_agg(key, value)
      FROM jsonb_each(object -> 'spec') WHERE key = ANY (${parameters.add(onlySpec)}::text[])), '{}')) AS object
    FROM (SELECT namespace, name, object || '{}' AS object FROM (${page}) AS compressed OFFSET 0) AS plain`;
}

function currentObjectsSql(query: CompiledQuery, after: ContinueToken | undefined, parameters: SqlParameters): string {
  return `SELECT namespace, name, labels, object FROM resources
    WHERE ${collectionSql(query, parameters)} AND ${behindSql(after, parameters)}`;
}

/** Objects as they were at a revision: those unchanged since, and what the first later change replaced. */
function pastObjectsSql(
  query: CompiledQuery,
  from: { readonly revision: Revision; readonly after: ContinueToken | undefined },
  parameters: SqlParameters,
): string {
  const revision = `${parameters.add(from.revision)}::bigint`;
  const isInCollection = collectionSql(query, parameters);
  const isBehind = behindSql(from.after, parameters);
  return `SELECT namespace, name, labels, object FROM resources
      WHERE ${isInCollection} AND ${isBehind} AND revision <= ${revision}
    UNION ALL
    SELECT previous.namespace, previous.name, coalesce(previous.object #> '{metadata,labels}', '{}'), previous.object
      FROM resource_changes AS previous JOIN (
        SELECT previous_revision FROM resource_changes
        WHERE ${isInCollection} AND ${isBehind} AND revision > ${revision} AND previous_revision <= ${revision}
      ) AS change ON previous.revision = change.previous_revision`;
}

function behindSql(after: ContinueToken | undefined, parameters: SqlParameters): string {
  if (!after) return 'true';
  const { namespace, name } = after;
  return `(namespace, name) > (${parameters.add(namespace)}::text COLLATE "C", ${parameters.add(name)}::text COLLATE "C")`;
}
