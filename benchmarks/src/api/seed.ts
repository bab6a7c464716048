import { setTimeout as delay } from 'node:timers/promises';
import { isConditionTrue, type Cluster, type KubeObject, type Manifest } from '@crate/api';
import { timeout } from '@crate/errors';
import type { TargetCluster } from '@crate/kubernetes';
import pg from 'pg';
import { prepareProject } from '../bench-cluster.js';
import { projectName, TEMPLATE_NAME, type Dataset } from './dataset.js';
import { CREATED_PROJECT } from './operations.js';
import { BASELINE_SCHEMA } from './row-work.js';

const SCHEMA = 'lifecycle';
const SETTLE_MS = 60_000;
const OPTIONS = { fieldManager: 'crate-bench', force: true } as const;

export interface SeedOptions {
  readonly api: TargetCluster;
  /** As the database's owner. */
  readonly databaseUrl: string;
  readonly objects: number;
  readonly projects: number;
}

const ADD_ONS = 1_000;

/**
 * Fills the store with settled clusters as if each had been created: one really is, the others are copied from it in SQL,
 * with their entries in the change log. The baseline's tables get the same rows.
 */
export async function seed({ api, databaseUrl, objects, projects }: SeedOptions): Promise<Dataset> {
  const names = Array.from({ length: projects }, (_, index) => projectName(index));
  for (const name of [...names, CREATED_PROJECT]) await prepareProject(api, name);
  const [template, addOn] = [await settledCluster(api, names[0] ?? ''), await storedAddOn(api)];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await copyObjects(client, template, {
      count: objects,
      namespace: `'bench-' || lpad((i % ${projects})::text, 3, '0')`,
      prefix: 'cluster-',
    });
    await copyObjects(client, addOn, { count: ADD_ONS, namespace: `''`, prefix: 'bench-' });
    await copyBaseline(client);
    // As in a database that has been in use: its log of writes goes round in files that are there, and each new one (16 MiB of zeros) stalls all.
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
  return { objects, projects, template, addOn, addOns: ADD_ONS };
}

async function settledCluster(api: TargetCluster, namespace: string): Promise<KubeObject> {
  const apiVersion = 'lifecycle.crate.dev/v1alpha1';
  const spec = {
    accountRef: { name: 'sandbox' },
    region: 'us-east-1',
    paused: true,
    kubernetes: { engine: 'rke', version: 'v1.31.4' },
    nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
    addOns: [{ name: 'docs' }],
  };
  await api.applyObject({ apiVersion, kind: 'Cluster', metadata: { name: TEMPLATE_NAME, namespace }, spec }, OPTIONS);
  for (const endsAt = performance.now() + SETTLE_MS; performance.now() < endsAt; await delay(100)) {
    const { items } = await api.list(apiVersion, 'Cluster', { namespace });
    const found = items.find(({ metadata }) => metadata.name === TEMPLATE_NAME);
    if (found !== undefined && isSettled(found)) return found;
  }
  throw timeout('The first cluster was not seen by a reconciler');
}

/** Nothing is left to be written about it: copies of one that nobody has looked at yet would each get a status with their first change. */
function isSettled(cluster: KubeObject): boolean {
  const { status, metadata } = cluster as unknown as Cluster;
  return isConditionTrue(status?.conditions, 'Paused', metadata.generation);
}

async function storedAddOn(api: TargetCluster): Promise<KubeObject> {
  const name = 'bench-template';
  const addOn: Manifest = {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'AddOn',
    metadata: { name },
    spec: {
      displayName: 'Benchmark',
      description: 'Written by the benchmark',
      version: '1.0.0',
      manifests: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { key: 'value' } },
      ],
    },
  };
  const stored: unknown = await api.applyObject(addOn, OPTIONS);
  return stored as KubeObject;
}

interface Copies {
  readonly count: number;
  /** SQL of the namespace of copy `i`. */
  readonly namespace: string;
  readonly prefix: string;
}

/** Copies are stored under the commit lock, with dense revisions, so that writers and watches can go on meanwhile. */
async function copyObjects(
  client: pg.Client,
  template: KubeObject,
  { count, namespace, prefix }: Copies,
): Promise<void> {
  const isNamespaced = template.metadata.namespace !== undefined;
  const metadata = `object -> 'metadata' || jsonb_build_object('uid', uid, 'name', name, 'resourceVersion', revision::text
    ${isNamespaced ? ", 'namespace', namespace" : ''})`;
  await client.query('BEGIN');
  await client.query(`SET LOCAL search_path = ${SCHEMA}`);
  await client.query(
    `SELECT pg_advisory_xact_lock((1668441460::bigint << 32) | 'resource_head'::regclass::oid::bigint)`,
  );
  await client.query(
    `WITH head AS (SELECT revision FROM resource_head), copies AS (
       SELECT gen_random_uuid()::text AS uid, $2 AS api_group, $3 AS kind, ${namespace} AS namespace,
         '${prefix}' || lpad(i::text, 6, '0') AS name, head.revision + i + 1 AS revision, $1::jsonb AS object
       FROM head, generate_series(0, $4::int - 1) AS i
     ), whole AS (
       SELECT uid, api_group, kind, namespace, name, revision, jsonb_set(object, '{metadata}', ${metadata}) AS object FROM copies
     ), stored AS (
       INSERT INTO resources (uid, api_group, kind, namespace, name, revision, object) SELECT * FROM whole
     ) INSERT INTO resource_changes (uid, api_group, kind, namespace, name, revision, object, type, writer)
       SELECT whole.*, 'ADDED', 'bench' FROM whole`,
    [JSON.stringify(template), template.apiVersion.split('/')[0], template.kind, count],
  );
  await client.query('UPDATE resource_head SET revision = revision + $1', [count]);
  await client.query('COMMIT');
  await client.query(`ANALYZE ${SCHEMA}.resources, ${SCHEMA}.resource_changes`);
}

async function copyBaseline(client: pg.Client): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${BASELINE_SCHEMA} CASCADE`);
  await client.query(`CREATE SCHEMA ${BASELINE_SCHEMA}`);
  await client.query(`SET search_path = ${BASELINE_SCHEMA}`);
  const columns = 'uid, api_group, kind, namespace, name, revision, object';
  await client.query(`CREATE TABLE resources AS SELECT ${columns} FROM ${SCHEMA}.resources`);
  await client.query('ALTER TABLE resources ADD PRIMARY KEY (api_group, kind, namespace, name), ADD UNIQUE (uid)');
  await client.query(`CREATE TABLE changes AS SELECT ${columns} FROM ${SCHEMA}.resource_changes`);
  await client.query('ALTER TABLE changes ADD PRIMARY KEY (revision)');
  await client.query(`CREATE SEQUENCE revisions START 1000000000`);
  await client.query('ANALYZE resources, changes');
}
