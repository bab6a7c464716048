import { CLUSTER_UID_LABEL, type KubeObject } from '@crate/api';
import { AUDIT_MIGRATIONS } from '@crate/audit';
import { Database, migrate } from '@crate/database';
import { resourceStoreMigrations } from '@crate/resource-store';
import { SECRETS_MIGRATIONS } from '@crate/secrets';
import { startPostgres, type PostgresServer } from '@crate/testing';
import { WORK_QUEUE_MIGRATIONS } from '@crate/work-queue';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { takeBack, type SchemaPair } from './take-back.js';

const SERVICES = ['cloud-mgmt', 'cluster-mgmt', 'lifecycle'];
const RUNS: Readonly<Record<string, string>> = {
  'cloud-mgmt': 'CREATE TABLE terraform_runs (id text PRIMARY KEY, infrastructure_uid text, state text)',
  'cluster-mgmt': 'CREATE TABLE engine_runs (id text PRIMARY KEY, cluster_uid text, state text, generation int)',
};
const warnings: string[] = [];
const REQUEST = {
  namespace: 'team-a',
  name: 'demo',
  by: 'ada',
  warn: (message: string): void => void warnings.push(message),
};

let server: PostgresServer;
let pairs: readonly (SchemaPair & { readonly later: Database })[];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());
beforeEach(async () => {
  warnings.length = 0;
  const [here, later] = [(await server.createDatabase()).url, (await server.createDatabase()).url];
  pairs = await Promise.all(
    SERVICES.map(async (service) => ({ service, here: await open(here, service), later: await open(later, service) })),
  );
  for (const database of [pairOf('lifecycle').here, pairOf('lifecycle').later]) {
    await put(database, anObject('Project', 'team-a', { namespace: undefined }));
  }
  await put(pairOf('lifecycle').later, anObject('Cluster', 'demo'));
  await put(pairOf('cloud-mgmt').later, aChild('Infrastructure', 'demo'));
  await put(pairOf('cluster-mgmt').later, aChild('KubernetesCluster', 'demo'));
  await keep(pairOf('cloud-mgmt').later, 'infrastructure-demo');
});
afterEach(async () => {
  for (const { here, later } of pairs) await Promise.all([here.close(), later.close()]);
});

async function open(url: string, service: string): Promise<Database> {
  const schema = service.replaceAll('-', '_');
  const directories = [resourceStoreMigrations, WORK_QUEUE_MIGRATIONS, SECRETS_MIGRATIONS, AUDIT_MIGRATIONS];
  await migrate({ url, schema, directories });
  const database = new Database({ url, schema, maxConnections: 1 });
  if (RUNS[service]) await database.rowsOnce(RUNS[service]);
  return database;
}

function pairOf(service: string): SchemaPair & { readonly later: Database } {
  const found = pairs.find((pair) => pair.service === service);
  if (!found) throw new Error(`There is no ${service}`);
  return found;
}

function anObject(kind: string, name: string, metadata: object = {}): KubeObject {
  const own = { name, namespace: 'team-a', uid: `${kind.toLowerCase()}-${name}`, generation: 1, ...metadata };
  return { apiVersion: 'test/v1', kind, metadata: own, spec: {} } as unknown as KubeObject;
}

function aChild(kind: string, name: string, cluster = 'cluster-demo'): KubeObject {
  return anObject(kind, name, { labels: { [CLUSTER_UID_LABEL]: cluster } });
}

async function put(database: Database, object: KubeObject): Promise<void> {
  const { name, namespace = '', uid } = object.metadata;
  const change = { type: 'ADDED', group: 'test', kind: object.kind, namespace, name, uid, object };
  const write = { versions: {}, dependents: {}, absent: null, changes: [change] };
  await database.rows('SELECT commit_resource_writes($1::jsonb, $2)', [JSON.stringify([write]), 'test']);
}

async function keep(database: Database, owner: string): Promise<void> {
  await database.execute(
    `INSERT INTO secret_versions (owner_uid, kind, serial, epoch, key_id, wrapped_key, iv, tag, ciphertext, digest)
     VALUES ($1, 'terraform-state', 3, 9007199254740993, 'k', '\\x01', '\\x02', '\\x03', '\\xff00', '\\x05')`,
    [owner],
  );
  await database.execute(`INSERT INTO terraform_runs VALUES ($1, $2, 'succeeded')`, [`run-of-${owner}`, owner]);
}

async function keepSeries(database: Database, kind: string, serial: number): Promise<void> {
  const values = ['kubernetescluster-demo', kind, serial];
  await database.execute(
    `INSERT INTO secret_versions (owner_uid, kind, serial, key_id, wrapped_key, iv, tag, ciphertext, digest)
     VALUES ($1, $2, $3, 'k', '', '', '', '', '')`,
    values,
  );
  await database.execute(`INSERT INTO secret_heads VALUES ($1, $2, $3, '{}', '', 'k', '')`, values);
}

async function namesIn(service: string): Promise<readonly string[]> {
  const rows = await pairOf(service).here.rows<{ name: string }>(`SELECT kind || ' ' || uid AS name FROM resources`);
  return rows.map(({ name }) => name).filter((name) => !name.startsWith('Project'));
}

describe('takeBack', () => {
  it('brings a cluster back with its objects, states and runs, and no other', async () => {
    await put(pairOf('cloud-mgmt').later, aChild('Infrastructure', 'other', 'cluster-other'));
    await keep(pairOf('cloud-mgmt').later, 'infrastructure-other');

    expect(await takeBack({ ...REQUEST, schemas: pairs })).toEqual([
      'Infrastructure demo',
      'KubernetesCluster demo',
      'Cluster demo',
    ]);
    expect(await namesIn('cloud-mgmt')).toEqual(['Infrastructure infrastructure-demo']);
    expect(await namesIn('lifecycle')).toEqual(['Cluster cluster-demo']);
    const { here, later } = pairOf('cloud-mgmt');
    for (const table of ['secret_versions', 'terraform_runs']) {
      const read = `SELECT kept::text FROM ${table} kept WHERE kept::text LIKE '%-demo%'`;
      const rows = await here.rows(`SELECT kept::text FROM ${table} kept`);
      expect(rows).toHaveLength(1);
      expect(rows).toEqual(await later.rows(read));
    }
  });

  it('brings nothing that refuses whoever works on it from now on', async () => {
    const { here, later } = pairOf('cloud-mgmt');
    await later.rows(`SELECT setval('work_epochs', 5000000)`);
    await later.execute('UPDATE secret_versions SET epoch = 5000000');
    await takeBack({ ...REQUEST, schemas: pairs });

    const read = `SELECT nextval('work_epochs') > epoch AS "isNewer", nextval('work_epochs') AS next FROM secret_versions`;
    const [row] = await here.rows<{ isNewer: boolean; next: string }>(read);
    expect(row?.isNewer).toBe(true);
    await takeBack({ ...REQUEST, schemas: pairs });
    expect(await here.rows('SELECT last_value AS next FROM work_epochs')).toEqual([{ next: row?.next }]);
  });

  it('names the keys that nothing here stands under', async () => {
    await takeBack({ ...REQUEST, schemas: pairs });
    expect(warnings).toEqual([
      expect.stringMatching(/^Nothing else of cloud-mgmt stands under its key k: put k\.key into/),
    ]);
    await takeBack({ ...REQUEST, schemas: pairs });
    expect(warnings).toHaveLength(1);
  });

  it('takes rows of a release before, which lack a column', async () => {
    const { here } = pairOf('cloud-mgmt');
    await here.rowsOnce('ALTER TABLE terraform_runs ADD COLUMN begun boolean NOT NULL DEFAULT true');
    await takeBack({ ...REQUEST, schemas: pairs });
    expect(await here.rows('SELECT id, begun FROM terraform_runs')).toEqual([
      { id: 'run-of-infrastructure-demo', begun: true },
    ]);
  });

  it('tells reconcilers and watches of it, under revisions of this database', async () => {
    const { here } = pairOf('lifecycle');
    await here.execute(`INSERT INTO work_routes VALUES ('test', 'Cluster', 'cluster')`);
    await here.execute('UPDATE resource_head SET revision = 1000');
    await takeBack({ ...REQUEST, schemas: pairs });

    expect(await here.rows('SELECT revision::int, type FROM resource_changes ORDER BY revision DESC LIMIT 1')).toEqual([
      { revision: 1001, type: 'ADDED' },
    ]);
    expect(await here.rows('SELECT name FROM work_items')).toEqual([{ name: 'demo' }]);
  });

  it('is on record, in the log of each service', async () => {
    await takeBack({ ...REQUEST, schemas: pairs });
    for (const service of SERVICES) {
      const read = 'SELECT user_name, project, verb, line FROM audit_log';
      const [row, ...others] = await pairOf(service).here.rows<{ line: string }>(read);
      expect(others).toEqual([]);
      expect(row).toMatchObject({ user_name: 'ada', project: 'team-a', verb: 'create' });
      expect(JSON.parse(row?.line ?? '')).toMatchObject({ name: 'demo', message: 'Brought back from a later backup' });
    }
  });

  it('goes on where it was killed, and then writes nothing', async () => {
    await takeBack({ ...REQUEST, schemas: pairs.slice(0, 1).concat(pairs.slice(2)) });
    expect(await takeBack({ ...REQUEST, schemas: pairs })).toEqual(['KubernetesCluster demo']);
    expect(await takeBack({ ...REQUEST, schemas: pairs })).toEqual([]);
  });

  it('leaves the states and runs of a cluster that is here as they are', async () => {
    const { here } = pairOf('cloud-mgmt');
    await put(pairOf('lifecycle').here, anObject('Cluster', 'demo'));
    await put(here, aChild('Infrastructure', 'demo'));
    await put(pairOf('cluster-mgmt').here, aChild('KubernetesCluster', 'demo'));
    expect(await takeBack({ ...REQUEST, schemas: pairs })).toEqual([]);
    for (const table of ['secret_versions', 'terraform_runs']) {
      expect(await here.rows(`SELECT kept::text FROM ${table} kept`)).toEqual([]);
    }
  });

  describe('of a cluster that was only being made at the point that was restored', () => {
    const READ = `SELECT kind || ' ' || serial AS name FROM secret_versions
      UNION ALL SELECT kind || ' head ' || serial FROM secret_heads UNION ALL SELECT state FROM engine_runs ORDER BY 1`;
    const MAKING = ['running', 'ssh-private-key 1', 'ssh-private-key head 1'];
    const MADE = ['kubeconfig 2', 'kubeconfig head 2', 'ssh-private-key 1', 'ssh-private-key head 1', 'succeeded'];

    beforeEach(async () => {
      const { here, later } = pairOf('cluster-mgmt');
      await put(pairOf('lifecycle').here, anObject('Cluster', 'demo'));
      await put(pairOf('cloud-mgmt').here, aChild('Infrastructure', 'demo'));
      await put(here, aChild('KubernetesCluster', 'demo'));
      await here.execute(`INSERT INTO work_routes VALUES ('test', 'KubernetesCluster', 'cluster')`);
      for (const database of [here, later]) await keepSeries(database, 'ssh-private-key', 1);
      await keepSeries(later, 'kubeconfig', 2);
      await here.execute(`INSERT INTO engine_runs VALUES ('first', 'kubernetescluster-demo', 'running')`);
      await later.execute(`INSERT INTO engine_runs VALUES ('first', 'kubernetescluster-demo', 'succeeded')`);
    });

    async function keptHere(): Promise<readonly string[]> {
      return (await pairOf('cluster-mgmt').here.rows<{ name: string }>(READ)).map(({ name }) => name);
    }

    it('brings the keys and runs, once', async () => {
      const { here } = pairOf('cluster-mgmt');
      await here.execute('UPDATE recovery SET begun_at = now()');
      expect(await takeBack({ ...REQUEST, schemas: pairs })).toEqual(['the keys of KubernetesCluster demo']);
      expect(await keptHere()).toEqual(MADE);
      expect(warnings).toEqual([]);
      expect(await here.rows('SELECT name FROM work_items')).toEqual([{ name: 'demo' }]);
      expect(await here.rows('SELECT user_name, verb FROM audit_log')).toEqual([{ user_name: 'ada', verb: 'update' }]);
      expect(await takeBack({ ...REQUEST, schemas: pairs })).toEqual([]);
    });

    it('brings runs without their generation, which is that of another spec here', async () => {
      const { here, later } = pairOf('cluster-mgmt');
      await later.execute('UPDATE engine_runs SET generation = 3');
      await here.execute('UPDATE recovery SET begun_at = now()');
      await takeBack({ ...REQUEST, schemas: pairs });
      expect(await here.rows('SELECT state, generation FROM engine_runs')).toEqual([
        { state: 'succeeded', generation: null },
      ]);
    });

    it('leaves them where the engine was let at it again', async () => {
      await pairOf('cluster-mgmt').here.execute('UPDATE recovery SET begun_at = now(), confirmed_at = now()');
      expect(await takeBack({ ...REQUEST, schemas: pairs })).toEqual([]);
      expect(await keptHere()).toEqual(MAKING);
    });
  });

  it('refuses a cluster that nobody knows', async () => {
    await expect(takeBack({ ...REQUEST, name: 'none', schemas: pairs })).rejects.toMatchObject({
      code: 'NotFound',
    });
  });

  it.each([
    {
      reason: 'its name was taken since',
      prepare: () => put(pairOf('lifecycle').here, anObject('Cluster', 'demo', { uid: 'new' })),
      message: /Another cluster team-a\/demo was made since/,
    },
    {
      reason: 'a part of it has another in its place',
      prepare: () =>
        put(pairOf('cloud-mgmt').here, {
          ...aChild('Infrastructure', 'demo', 'x'),
          metadata: { ...aChild('Infrastructure', 'demo', 'x').metadata, uid: 'new' },
        }),
      message: /another object of that name already: Infrastructure demo/,
    },
    {
      reason: 'its Project is not there',
      prepare: () => pairOf('lifecycle').here.execute(`DELETE FROM resources WHERE kind = 'Project'`),
      message: /Project team-a does not exist/,
    },
    {
      reason: 'it was on its way out',
      prepare: () =>
        pairOf('lifecycle').later.execute(
          `UPDATE resources SET object = jsonb_set(object, '{metadata,deletionTimestamp}', '"2026-01-01T00:00:00Z"')`,
        ),
      message: /was being deleted/,
    },
  ])('refuses it when $reason, and changes nothing', async ({ prepare, message }) => {
    await prepare();
    const before = await namesIn('cloud-mgmt');
    await expect(takeBack({ ...REQUEST, schemas: pairs })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(message),
    });
    expect(await namesIn('cloud-mgmt')).toEqual(before);
    expect(await pairOf('cloud-mgmt').here.rows('SELECT FROM secret_versions')).toEqual([]);
  });
});
