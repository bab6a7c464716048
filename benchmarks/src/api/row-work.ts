import type { KubeObject } from '@crate/api';
import pg from 'pg';
import { addOnAt, CHANGE, keyAt, projectName, watchedKeyAt, type Dataset } from './dataset.js';
import { PAGE_SIZE, WRITES_PER_CREATE, type Operation } from './operations.js';
import { nowMicroseconds, SENT } from './watcher.js';

/** Schema of the tables that the baseline works on: as many rows of the same size as Crate's own. */
export const BASELINE_SCHEMA = 'bench_baseline';

const FIND = `SELECT object FROM ${BASELINE_SCHEMA}.resources
  WHERE api_group = $1 AND kind = $2 AND namespace = $3 AND name = $4`;
const PAGE = `SELECT object FROM ${BASELINE_SCHEMA}.resources
  WHERE api_group = $1 AND kind = $2 AND namespace = $3 ORDER BY namespace, name LIMIT $4`;
const COLUMNS = 'api_group, kind, namespace, name, uid, revision, object';
const LOG = `INSERT INTO ${BASELINE_SCHEMA}.changes (${COLUMNS}) SELECT ${COLUMNS} FROM written`;
const INSERT = `WITH written AS (INSERT INTO ${BASELINE_SCHEMA}.resources (${COLUMNS})
  VALUES ($1, $2, $3, $4, gen_random_uuid()::text, nextval('${BASELINE_SCHEMA}.revisions'), $5) RETURNING ${COLUMNS}) ${LOG}`;
const REPLACE = `WITH written AS (UPDATE ${BASELINE_SCHEMA}.resources
  SET object = $5, revision = nextval('${BASELINE_SCHEMA}.revisions')
  WHERE api_group = $1 AND kind = $2 AND namespace = $3 AND name = $4 RETURNING ${COLUMNS}) ${LOG}`;

type Key = readonly [group: string, kind: string, namespace: string, name: string];

/** The rows that a request reads and writes, by bare `pg`: no validation, no ownership, no order of commits, no watches. */
export class RowWork {
  private readonly pool: pg.Pool;

  constructor(
    databaseUrl: string,
    private readonly dataset: Dataset,
  ) {
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  }

  async run(operation: Operation, index: number): Promise<unknown> {
    switch (operation) {
      case 'get':
        return this.find(this.keyAt(index));
      case 'list':
        return this.page(projectName(index % this.dataset.projects));
      case 'create':
        return this.insert(this.dataset.template, 'bench-new', `new-${index}`);
      case 'write':
        if (index % WRITES_PER_CREATE === 0) return this.insert(this.dataset.addOn, '', `bench-new-${index}`);
        return this.change(keyOf(this.dataset.addOn, '', addOnAt(this.dataset, index)), { [CHANGE]: String(index) });
      case 'touch':
        return this.touch(index);
      default:
        return this.change(this.keyAt(index), { [CHANGE]: String(index) });
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private keyAt(index: number): Key {
    const { namespace, name } = keyAt(this.dataset, index);
    return keyOf(this.dataset.template, namespace, name);
  }

  private async find(key: Key): Promise<KubeObject | undefined> {
    const { rows } = await this.pool.query<{ object: KubeObject }>({ name: 'find', text: FIND, values: [...key] });
    return rows[0]?.object;
  }

  private async page(namespace: string): Promise<unknown> {
    const [group, kind] = keyOf(this.dataset.template, namespace, '');
    const values = [group, kind, namespace, PAGE_SIZE];
    const { rows } = await this.pool.query<{ object: KubeObject }>({ name: 'page', text: PAGE, values });
    return { items: rows.map((row) => row.object) };
  }

  private async insert(template: KubeObject, namespace: string, name: string): Promise<unknown> {
    const object = { ...template, metadata: { ...template.metadata, namespace, name } };
    const values = [...keyOf(template, namespace, name), JSON.stringify(object)];
    await this.pool.query({ name: 'insert', text: INSERT, values });
    return object;
  }

  private async touch(index: number): Promise<unknown> {
    const { namespace, name } = watchedKeyAt(this.dataset, index);
    return this.change(keyOf(this.dataset.template, namespace, name), {
      [CHANGE]: String(index),
      [SENT]: String(nowMicroseconds()),
    });
  }

  private async change(key: Key, changed: Readonly<Record<string, string>>): Promise<unknown> {
    const found = await this.find(key);
    if (!found) throw new Error(`The baseline has no ${key.join('/')}`);
    const annotations = { ...found.metadata.annotations, ...changed };
    const object = { ...found, metadata: { ...found.metadata, annotations } };
    await this.pool.query({ name: 'replace', text: REPLACE, values: [...key, JSON.stringify(object)] });
    return object;
  }
}

function keyOf({ apiVersion, kind }: KubeObject, namespace: string, name: string): Key {
  return [apiVersion.split('/')[0] ?? '', kind, namespace, name];
}
