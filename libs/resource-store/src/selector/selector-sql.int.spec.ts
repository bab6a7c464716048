import { expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@crate/api';
import { Database, migrate } from '@crate/database';
import { startPostgres } from '@crate/testing';
import fc from 'fast-check';
import { InMemoryResourceStore, PostgresResourceStore, resourceStoreMigrations, type ResourceStore } from '../index.js';

const word = fc.constantFrom('a', 'b', 'c', '1', '2', 'true');
const key = fc.constantFrom('app', 'crate.dev/zone', 'in');
const labels = fc.dictionary(key, fc.oneof(word, fc.constant('')), { maxKeys: 3 });
const value = fc.oneof(word, fc.constantFrom(1, 2, 2.5, true, false, null, '', [], { b: 'a' }, [{ c: 'b' }]));
const spec = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });

const labelRequirement = fc.oneof(
  fc.tuple(key, fc.constantFrom('=', '==', '!='), fc.oneof(word, fc.constant(''))).map((parts) => parts.join('')),
  fc
    .tuple(key, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1, maxLength: 3 }))
    .map(([name, operator, values]) => `${name} ${operator} (${values.join(',')})`),
  key,
  key.map((name) => `!${name}`),
);
const path = fc.constantFrom(
  'spec.a',
  'spec.b',
  'spec.a.b',
  'spec.c.0.c',
  'metadata.name',
  'metadata.namespace',
  'kind',
);
const fieldRequirement = fc
  .tuple(path, fc.constantFrom('=', '!='), fc.oneof(word, fc.constantFrom('', '2.5', 'false', 'w1', 'Widget')))
  .map((parts) => parts.join(''));
const selector = fc.record({
  labelSelector: fc.array(labelRequirement, { maxLength: 3 }).map((parts) => parts.join(',')),
  fieldSelector: fc.array(fieldRequirement, { maxLength: 2 }).map((parts) => parts.join(',')),
});

it('selects in SQL just what it selects in memory', async () => {
  const server = await startPostgres();
  await migrate({ url: server.url, schema: 'test', directories: [resourceStoreMigrations] });
  const database = new Database({ url: server.url, schema: 'test' });
  const stores: ResourceStore[] = [new PostgresResourceStore({ database }), new InMemoryResourceStore()];
  const seen = fc.sample(fc.record({ labels, spec }), 150);
  for (const [index, object] of seen.entries()) {
    const metadata = { name: `w${index}`, namespace: index % 2 ? 'a' : 'b', labels: object.labels } as ObjectMeta;
    const created: KubeObject = { apiVersion: 'test.crate.dev/v1', kind: 'Widget', metadata, spec: object.spec };
    await Promise.all(stores.map((store) => store.create(created)));
  }

  await fc.assert(
    fc.asyncProperty(selector, async (query) => {
      const lists = await Promise.all(
        stores.map((store) => store.list({ group: 'test.crate.dev', kind: 'Widget', ...query })),
      );
      const [inSql, inMemory] = lists.map((list) => list.items.map((item) => item.metadata.name));
      expect(inSql).toEqual(inMemory);
    }),
    { numRuns: 400 },
  );
  await Promise.all(stores.map((store) => store.close()));
  await database.close();
  await server.stop();
});
