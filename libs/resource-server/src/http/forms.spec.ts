import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { at } from '../fixtures/at.js';
import { CLUSTER_PATH, HttpBench, TABLE } from '../fixtures/http-bench.js';
import { aCluster } from '../fixtures/local-api.js';

const bench = new HttpBench();
const { call, post } = bench;
beforeEach(() => bench.start());
afterEach(() => bench.stop());

describe('forms', () => {
  beforeEach(async () => void (await post(CLUSTER_PATH, aCluster())));

  it('as a table', async () => {
    const { body } = await call('GET', CLUSTER_PATH, { headers: { accept: TABLE } });
    expect(body).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '1' },
    });
    const columns = at(body, '.columnDefinitions') as readonly { readonly name: string }[];
    const cells = at(body, '.rows[0].cells') as readonly unknown[];
    const shown = Object.fromEntries(columns.map(({ name }, index) => [name, cells[index]]));
    expect(shown).toMatchObject({ Name: 'demo', Ready: null, Version: 'v1.31.4', Region: 'us-east-1', Age: '0s' });
    const one = await call('GET', `${CLUSTER_PATH}/demo?includeObject=Object`, { headers: { accept: TABLE } });
    expect(at(one.body, '.rows[0].object')).toMatchObject({ kind: 'Cluster', spec: { region: 'us-east-1' } });
  });

  it('as metadata alone', async () => {
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    expect((await call('GET', `${CLUSTER_PATH}/demo`, { headers: { accept } })).body).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'demo' },
    });
    const list = accept.replace('Metadata;', 'MetadataList;');
    expect((await call('GET', CLUSTER_PATH, { headers: { accept: list } })).body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata' }],
    });
  });

  it('as YAML', async () => {
    const { headers, text } = await call('GET', `${CLUSTER_PATH}/demo`, { headers: { accept: 'application/yaml' } });
    expect(headers.get('content-type')).toBe('application/yaml');
    expect(text).toMatch(/^kind: Cluster$/m);
  });

  it('as YAML that readers of YAML 1.1 take for the same', async () => {
    const named = aCluster('named');
    const labels = { on: 'yes', a: 'off', n: 'n', number: '1_000', day: '2026-01-31' };
    await post(CLUSTER_PATH, { ...named, metadata: { ...named.metadata, labels } });
    const { text } = await call('GET', `${CLUSTER_PATH}/named`, { headers: { accept: 'application/yaml' } });
    expect(text).toContain(
      '  labels:\n    "on": "yes"\n    a: "off"\n    "n": "n"\n    number: "1_000"\n    day: "2026-01-31"\n',
    );
  });

  it('as pretty JSON', async () => {
    expect((await call('GET', `${CLUSTER_PATH}/demo?pretty=true`)).text).toContain('\n  "kind": "Cluster"');
  });

  it('in pages', async () => {
    await post(CLUSTER_PATH, aCluster('other'));
    const first = (await call('GET', `${CLUSTER_PATH}?limit=1`)).body;
    const token = encodeURIComponent(String(at(first, '.metadata.continue')));
    const second = (await call('GET', `${CLUSTER_PATH}?limit=1&continue=${token}`)).body;
    expect([first, second].map((page) => at(page, '.items[0].metadata.name'))).toEqual(['demo', 'other']);
  });
});
