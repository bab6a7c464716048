import { randomUUID } from 'node:crypto';
import {
  ADD_ON_INSTALLATION,
  CLUSTER,
  CLUSTER_UID_LABEL,
  INFRASTRUCTURE,
  KUBERNETES_CLUSTER,
  PROJECT,
  type KubeObject,
} from '@crate/api';
import type { Database, SqlRunner } from '@crate/database';
import { notFound, PlatformError } from '@crate/errors';
import { KeptRows } from './kept-rows.js';

const PARTS = [CLUSTER, INFRASTRUCTURE, KUBERNETES_CLUSTER, ADD_ON_INSTALLATION];
const OF_CLUSTER = `SELECT object::text FROM resources WHERE object #>> ARRAY['metadata','labels',$1] = $2 ORDER BY name`;
const BY_NAME = 'SELECT object::text FROM resources WHERE kind = $1 AND namespace = $2 AND name = $3';

/** One schema of the restored database and the same one of the later database. */
export interface SchemaPair {
  readonly service: string;
  readonly here: Database;
  readonly later: Pick<Database, 'rowsOnce'>;
}

export interface TakeBackRequest {
  readonly namespace: string;
  readonly name: string;
  /** Who does it, for the audit log. */
  readonly by: string;
  /** Told what a person has to see to, once it is brought back. */
  readonly warn: (message: string) => void;
  /** Owners of the parts first, the owner of the Cluster last: killed half-way, the same command goes on. */
  readonly schemas: readonly SchemaPair[];
}

/**
 * Brings a cluster back that the restored database does not know, with its objects, states and keys, from a database that
 * knows it; or the keys alone, where it was only being made at the point that was restored. Gives what was brought back. Idempotent. Throws NotFound, Conflict or InvalidSpec, and then has changed nothing of that schema.
 */
export async function takeBack({ namespace, name, by, warn, schemas }: TakeBackRequest): Promise<readonly string[]> {
  const own = schemas.at(-1);
  if (!own) return [];
  const cluster = await findCluster(own, namespace, name);
  await checkPlace(own, cluster);
  const brought: string[] = [];
  for (const pair of schemas) {
    const objects = pair === own ? [cluster] : await objectsOf(pair, cluster.metadata.uid);
    const { names, unknownKeys } = await bringBack(pair, objects, by);
    brought.push(...names);
    for (const id of unknownKeys) warn(keyAdvice(pair.service, id));
  }
  return brought;
}

async function findCluster({ later }: SchemaPair, namespace: string, name: string): Promise<KubeObject> {
  const [cluster] = parsed(await later.rowsOnce(BY_NAME, [CLUSTER.kind, namespace, name]));
  if (!cluster) throw notFound(CLUSTER.plural, `${namespace}/${name}`, CLUSTER.group);
  if (cluster.metadata.deletionTimestamp === undefined) return cluster;
  throw new PlatformError('Conflict', `Cluster ${namespace}/${name} was being deleted at that time`);
}

/** Its Project is there, and nobody has its name. */
async function checkPlace({ here }: SchemaPair, { metadata }: KubeObject): Promise<void> {
  const { namespace = '', name, uid } = metadata;
  const [project] = await here.rowsOnce(BY_NAME, [PROJECT.kind, '', namespace]);
  if (!project) throw new PlatformError('Conflict', `Project ${namespace} does not exist; apply it first`);
  const [found] = parsed(await here.rowsOnce(BY_NAME, [CLUSTER.kind, namespace, name]));
  if (!found || found.metadata.uid === uid) return;
  throw new PlatformError('Conflict', `Another cluster ${namespace}/${name} was made since; delete that first`);
}

async function objectsOf({ later }: SchemaPair, clusterUid: string): Promise<readonly KubeObject[]> {
  return parsed(await later.rowsOnce(OF_CLUSTER, [CLUSTER_UID_LABEL, clusterUid]));
}

interface Brought {
  readonly names: readonly string[];
  readonly unknownKeys: readonly string[];
}

/** In one transaction: an object is never there without its state and keys. */
async function bringBack(
  { service, here, later }: SchemaPair,
  objects: readonly KubeObject[],
  by: string,
): Promise<Brought> {
  const kept = await KeptRows.read(later, service, objects.map(uidOf));
  return here.transaction(async (transaction) => {
    const missing = await unknownOf(transaction, objects);
    const lockedOut = await kept.listLockedOut(transaction);
    const known = objects.filter((object) => lockedOut.has(uidOf(object)) && !missing.includes(object));
    const uids = [...missing, ...known].map(uidOf);
    if (uids.length === 0) return { names: [], unknownKeys: [] };
    const unknownKeys = await kept.listUnknownKeys(transaction, uids);
    // Only of these, and all of theirs: later versions beside the heads of what is here would pass for states that somebody tampered with.
    await kept.replace(transaction, uids);
    await store(transaction, missing, (object) => auditEntry(object, service, { by, change: 0 }));
    for (const object of known) await wake(transaction, object, auditEntry(object, service, { by }));
    const names = [...missing.map(nameOf), ...known.map((object) => `the keys of ${nameOf(object)}`)];
    return { names, unknownKeys };
  });
}

function keyAdvice(service: string, id: string): string {
  return `Nothing else of ${service} stands under its key ${id}: put ${id}.key into CRATE_ENCRYPTION_KEYS_DIR unless it is there, or nobody can read what was brought back`;
}

/** It stays as it is here, and is looked at again. */
async function wake(transaction: SqlRunner, { kind, metadata }: KubeObject, entry: object): Promise<void> {
  const { namespace = '', name } = metadata;
  await transaction.rows('SELECT enqueue_work(reconciler, $2, $3) FROM work_routes WHERE kind = $1', [
    kind,
    namespace,
    name,
  ]);
  await transaction.rows('SELECT append_audit_entries(ARRAY[$1::jsonb])', [JSON.stringify(entry)]);
}

async function unknownOf(transaction: SqlRunner, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const known = await transaction.rows<{ uid: string }>('SELECT uid FROM resources WHERE uid = ANY($1)', [
    objects.map(uidOf),
  ]);
  return objects.filter((object) => !known.some(({ uid }) => uid === uidOf(object)));
}

/** As the service itself writes: revisions, watches and reconcilers notice. */
async function store(
  transaction: SqlRunner,
  objects: readonly KubeObject[],
  auditOf: (object: KubeObject) => object,
): Promise<void> {
  const writes = objects.map((object) => {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace = '', uid } = metadata;
    const key = { group: apiVersion.split('/')[0], kind, namespace, name };
    const changes = [{ type: 'ADDED', ...key, uid, object }];
    return { versions: {}, dependents: {}, absent: key, changes, audit: [auditOf(object)] };
  });
  const results = await transaction.rows<{ is_committed: boolean }>(
    'SELECT is_committed FROM commit_resource_writes($1::jsonb, $2)',
    [JSON.stringify(writes), 'crate-recovery'],
  );
  const refused = objects.filter((_, index) => results[index]?.is_committed !== true);
  if (refused.length === 0) return;
  const names = refused.map(nameOf).join(', ');
  throw new PlatformError('Conflict', `There is another object of that name already: ${names}`);
}

/** As calls of the API are recorded, `change` being the place of the change in its write; absent: the object is not written. */
function auditEntry(
  { apiVersion, kind, metadata }: KubeObject,
  service: string,
  { by, change }: { readonly by: string; readonly change?: number },
): object {
  const { name, namespace = '', uid } = metadata;
  return {
    time: new Date().toISOString(),
    service,
    user: by,
    groups: [],
    traceId: randomUUID(),
    verb: change === undefined ? 'update' : 'create',
    group: apiVersion.split('/')[0],
    resource: PARTS.find((part) => part.kind === kind)?.plural ?? kind.toLowerCase(),
    kind,
    namespace,
    name,
    uid,
    project: namespace,
    decision: 'allowed',
    code: change === undefined ? 200 : 201,
    message: `${change === undefined ? 'Its keys were brought' : 'Brought'} back from a later backup`,
    ...(change === undefined ? {} : { change }),
  };
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid;
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

function parsed(rows: readonly Record<string, unknown>[]): readonly KubeObject[] {
  return rows.map((row) => JSON.parse(String(row['object'])) as KubeObject);
}
