import assert from 'node:assert/strict';
import { eventually } from '@crate/testing';
import { stringify } from 'yaml';
import type { HttpRows } from './http-client-rows.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

interface Shown {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly metadata: {
    readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: Record<string, object> }[];
  };
}

/** Single requests: formats, verbs and refusals. */
export const requestRows: HttpRows = ({ bench, project, path, kind, anObject, withSecret }) => [
  {
    capability: 'POST of JSON, GET, PUT, DELETE',
    run: async () => {
      const created = await bench.admin.post(path, anObject('json'));
      assert.equal(created.code, 201, created.text);
      assert.deepEqual((await bench.admin.get(`${path}/json`)).body.kind, kind);
      const labels = { put: 'yes' };
      const replaced = await bench.admin.call('PUT', `${path}/json`, { body: anObject('json', labels) });
      assert.deepEqual([replaced.code, replaced.body.metadata.labels], [200, labels]);
      const deleted = await bench.admin.call('DELETE', `${path}/json`);
      assert.equal(deleted.code, 200);
    },
  },
  {
    capability: 'what is new is in progress, for who waits as Flux and Helm do',
    run: async () => {
      const { text } = await bench.admin.post(path, anObject('unseen'));
      const { metadata, status } = JSON.parse(text) as { metadata: { generation: number }; status?: object };
      assert.deepEqual([metadata.generation, status], [1, { observedGeneration: 0 }]);
    },
  },
  {
    capability: 'POST of YAML, answered in YAML',
    run: async () => {
      const headers = { 'content-type': 'application/yaml', accept: 'application/yaml' };
      const { code, text } = await bench.admin.post(path, stringify(anObject('yaml')), headers);
      assert.equal(code, 201, text);
      assert.match(text, new RegExp(`^kind: ${kind}$`, 'm'));
    },
  },
  {
    capability: 'Table and PartialObjectMetadata',
    run: async () => {
      const table = (await bench.admin.get(path, { accept: TABLE })).body;
      assert.deepEqual([table.kind, table.columnDefinitions[0]?.name], ['Table', 'Name']);
      const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
      const partial = (await bench.admin.get(path, { accept })).body;
      assert.equal(partial.kind, 'PartialObjectMetadataList');
      assert.ok(partial.items.every((item) => !('spec' in item)));
    },
  },
  {
    capability: 'merge patch, JSON patch; strategic is 415',
    run: async () => {
      const patch = (type: string, body: unknown) =>
        bench.admin.call('PATCH', `${path}/yaml`, { body, headers: { 'content-type': `application/${type}+json` } });
      const merged = await patch('merge-patch', { metadata: { labels: { merged: 'yes' } } });
      assert.equal(merged.body.metadata.labels?.['merged'], 'yes', merged.text);
      const operated = await patch('json-patch', [{ op: 'remove', path: '/metadata/labels/merged' }]);
      assert.equal(operated.body.metadata.labels?.['merged'], undefined);
      assert.equal((await patch('strategic-merge-patch', {})).code, 415);
    },
  },
  {
    capability: 'server-side apply, and its conflict',
    run: async () => {
      const apply = (manager: string, value: string) => {
        const headers = { 'content-type': 'application/apply-patch+yaml' };
        const body = anObject('applied', { owner: value });
        return bench.admin.call('PATCH', `${path}/applied?fieldManager=${manager}`, { body, headers });
      };
      assert.equal((await apply('one', 'one')).code, 201);
      assert.equal((await apply('one', 'one')).code, 200);
      const { code, body } = await apply('two', 'two');
      assert.deepEqual([code, body.details.causes[0]?.reason], [409, 'FieldManagerConflict']);
      assert.deepEqual(
        [body.details.causes[0]?.field, body.details.causes[0]?.message],
        ['.metadata.labels.owner', 'conflict with "one"'],
      );
    },
  },
  {
    capability: 'a dry run shows that other secrets are stated in a field of who applies them',
    note: 'what Argo CD goes by',
    run: async () => {
      const apply = async (secret: string, query = '') => {
        const { text } = await bench.admin.apply(withSecret.aDocument(secret), project, query);
        const { spec, metadata } = JSON.parse(text) as Shown;
        const own = metadata.managedFields.find(({ manager }) => manager === 'bench')?.fieldsV1['f:spec'] ?? {};
        assert.ok(`f:${withSecret.shownAs}` in own, text);
        return spec[withSecret.shownAs];
      };
      const stored = await apply('one');
      assert.equal(await apply('one', '&dryRun=All'), stored);
      assert.notEqual(await apply('two', '&dryRun=All'), stored);
    },
  },
  {
    capability: 'fieldValidation: Strict, Warn, Ignore',
    run: async () => {
      const body = { ...anObject('strict'), colour: 'red' };
      const post = (mode: string) => bench.admin.post(`${path}?dryRun=All&fieldValidation=${mode}`, body);
      const strict = await post('Strict');
      assert.deepEqual([strict.code, strict.body.reason], [400, 'BadRequest']);
      assert.match(strict.body.message, /unknown field "colour"/);
      const warned = await post('Warn');
      assert.equal(warned.code, 201);
      assert.match(String(warned.headers['warning']), /^299 - "unknown field \\"colour\\""/);
      const ignored = await post('Ignore');
      assert.equal(ignored.code, 201);
      assert.doesNotMatch(String(ignored.headers['warning']), /unknown field/);
    },
    note: 'warnings in headers',
  },
  {
    capability: 'dryRun=All stores nothing',
    run: async () => {
      assert.equal((await bench.admin.post(`${path}?dryRun=All`, anObject('dry'))).code, 201);
      assert.equal((await bench.admin.get(`${path}/dry`)).code, 404);
    },
  },
  {
    capability: 'stale writes are 409',
    run: async () => {
      const stale = (await bench.admin.get(`${path}/yaml`)).body;
      const headers = { 'content-type': 'application/merge-patch+json' };
      await bench.admin.call('PATCH', `${path}/yaml`, { body: { metadata: { labels: { newer: 'yes' } } }, headers });
      const { code, body } = await bench.admin.call('PUT', `${path}/yaml`, { body: stale });
      assert.deepEqual([code, body.reason], [409, 'Conflict']);
    },
  },
  {
    capability: 'delete with preconditions',
    run: async () => {
      const { code } = await bench.admin.call('DELETE', `${path}/yaml`, { body: { preconditions: { uid: 'other' } } });
      assert.equal(code, 409);
      const { uid } = (await bench.admin.get(`${path}/yaml`)).body.metadata;
      const { code: deleted } = await bench.admin.call('DELETE', `${path}/yaml`, { body: { preconditions: { uid } } });
      assert.equal(deleted, 200);
    },
  },
  {
    capability: 'delete of a collection by selector',
    run: async () => {
      for (const name of ['set-a', 'set-b']) await bench.admin.post(path, anObject(name, { set: 'yes' }));
      const { code, body } = await bench.admin.call('DELETE', `${path}?labelSelector=set%3Dyes`);
      assert.deepEqual([code, body.items.length], [200, 2]);
      await eventually(async () => (await bench.admin.get(`${path}?labelSelector=set%3Dyes`)).body.items.length === 0);
    },
  },
  {
    capability: 'status is read by all, written by nobody from outside',
    run: async () => {
      assert.equal((await bench.admin.get(`${path}/applied/status`)).body.kind, kind);
      const { code, body } = await bench.admin.call('PUT', `${path}/applied/status`, { body: anObject('applied') });
      assert.deepEqual([code, body.reason], [403, 'Forbidden']);
    },
  },
  {
    capability: 'errors are Statuses: 401, 404, 405, 406, 415',
    run: async () => {
      const statuses = [
        await bench.admin.as('nonsense').get(path),
        await bench.admin.get(`${path}/absent`),
        await bench.admin.call('PUT', path, { body: {} }),
        await bench.admin.get(path, { accept: 'text/html' }),
        await bench.admin.post(path, 'x', { 'content-type': 'text/plain' }),
      ];
      assert.deepEqual(
        statuses.map(({ code, body }) => [code, body.kind, body.code]),
        [401, 404, 405, 406, 415].map((code) => [code, 'Status', code]),
      );
    },
  },
];
