import type { Database } from '@crate/database';
import type { RegisteredReconciler } from './service-parts.js';

const ADD_ROUTE = `INSERT INTO work_routes (api_group, kind, reconciler) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

/** Objects that no change made due for a reconciler yet: they were stored before it existed. */
const ENQUEUE_UNSEEN = `SELECT enqueue_work(route.reconciler, object.namespace, object.name)
  FROM work_routes AS route JOIN resources AS object USING (api_group, kind)
  WHERE NOT EXISTS (SELECT FROM work_items AS item WHERE item.reconciler = route.reconciler
    AND item.namespace = object.namespace AND item.name = object.name)`;

/**
 * From now on every stored change of a reconciler's kind makes its key due in the same transaction. Idempotent, and
 * without a write when all is as it was. Routes of reconcilers that this release has not stay: replicas of another one may be about to
 * start, and would hear of no change.
 */
export async function openWorkRoutes(database: Database, reconcilers: readonly RegisteredReconciler[]): Promise<void> {
  for (const { kind, reconciler } of reconcilers) {
    await database.execute(ADD_ROUTE, [kind.group, kind.kind, reconciler.name]);
  }
  await database.rows(ENQUEUE_UNSEEN);
}
