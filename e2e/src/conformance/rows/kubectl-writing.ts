import assert from 'node:assert/strict';
import { aCluster } from '../documents.js';
import type { KubectlRows } from './kubectl-client.js';

/** `create`, `patch`, `replace`, `edit`, `label`, `annotate`, and what is refused. */
export const writingRows: KubectlRows = ({ kubectl, apply }) => [
  {
    capability: 'create',
    run: async () => {
      const input = JSON.stringify(aCluster('created'));
      assert.match(await kubectl().ok(['create', '-f', '-'], { input }), /created created$/m);
      assert.match(
        await kubectl().fails(['create', '-f', '-'], { input }),
        /\(AlreadyExists\).*"created" already exists/,
      );
    },
  },
  {
    capability: 'create with generateName',
    run: async () => {
      const { metadata: _metadata, ...rest } = aCluster('x');
      const input = JSON.stringify({ ...rest, metadata: { generateName: 'made-' } });
      assert.match(await kubectl().ok(['create', '-f', '-', '-o', 'name'], { input }), /\/made-[a-z0-9]{5}\n$/);
    },
  },
  {
    capability: 'create --dry-run=server and =client',
    run: async () => {
      const input = JSON.stringify(aCluster('dry'));
      const server = await kubectl().ok(['create', '--dry-run=server', '-f', '-', '-o', 'json'], { input });
      const client = await kubectl().ok(['create', '--dry-run=client', '-f', '-', '-o', 'json'], { input });
      assert.match(server, /"diskGiB"/);
      assert.doesNotMatch(client, /"diskGiB"/);
      await kubectl().fails(['get', 'cluster', 'dry']);
    },
    note: 'the server shows what it would default',
  },
  {
    capability: 'refusals name every bad field',
    run: async () => {
      const input = JSON.stringify(aCluster('bad', { spec: { region: 'nowhere', controlPlane: { replicas: 2 } } }));
      const refusal = await kubectl().fails(['create', '-f', '-'], { input });
      assert.match(refusal, /The Cluster "bad" is invalid/);
      assert.match(refusal, /spec\.region: Invalid value: "nowhere"/);
      assert.match(refusal, /spec\.controlPlane\.replicas: Invalid value: 2/);
    },
  },
  {
    capability: 'unknown fields: --validate=strict, warn and ignore',
    run: async () => {
      const input = JSON.stringify(aCluster('unknown', { spec: { colour: 'red' } }));
      const dryRun = ['create', '--dry-run=server', '-f', '-'];
      assert.match(await kubectl().fails([...dryRun, '--validate=strict'], { input }), /unknown field "spec\.colour"/);
      const warned = await kubectl().run([...dryRun, '--validate=warn'], { input });
      assert.deepEqual([warned.code, /Warning: unknown field "spec\.colour"/.test(warned.stderr)], [0, true]);
      const ignored = await kubectl().run([...dryRun, '--validate=ignore'], { input });
      assert.deepEqual([ignored.code, /unknown field/.test(ignored.stderr)], [0, false]);
    },
  },
  {
    capability: 'patch --type=merge',
    run: async () => {
      await apply(aCluster('patched'));
      const patch = JSON.stringify({ spec: { nodePools: [{ name: 'workers', replicas: 5 }] } });
      await kubectl().ok(['patch', 'cluster', 'patched', '--type=merge', '-p', patch]);
      const path = 'jsonpath={.spec.nodePools[0].replicas}';
      assert.equal(await kubectl().ok(['get', 'cluster', 'patched', '-o', path]), '5');
    },
  },
  {
    capability: 'patch --type=json, with a test',
    run: async () => {
      const operations = (from: number, to: number) =>
        JSON.stringify([
          { op: 'test', path: '/spec/nodePools/0/replicas', value: from },
          { op: 'replace', path: '/spec/nodePools/0/replicas', value: to },
        ]);
      await kubectl().ok(['patch', 'cluster', 'patched', '--type=json', '-p', operations(5, 6)]);
      await kubectl().fails(['patch', 'cluster', 'patched', '--type=json', '-p', operations(5, 7)]);
      const path = 'jsonpath={.spec.nodePools[0].replicas}';
      assert.equal(await kubectl().ok(['get', 'cluster', 'patched', '-o', path]), '6');
    },
  },
  {
    capability: 'patch --type=strategic is refused',
    run: async () => {
      const refusal = await kubectl().fails(['patch', 'cluster', 'patched', '-p', '{"spec":{"paused":false}}']);
      assert.match(refusal, /application\/strategic-merge-patch\+json is not supported|UnsupportedMediaType/);
    },
    note: '415, as for all custom resources',
  },
  {
    capability: 'a stale resourceVersion is a conflict',
    run: async () => {
      const stale = await kubectl().ok(['get', 'cluster', 'patched', '-o', 'json']);
      await kubectl().ok(['label', 'cluster', 'patched', 'newer=yes']);
      assert.match(await kubectl().fails(['replace', '-f', '-'], { input: stale }), /\(Conflict\).*has been modified/);
    },
  },
  {
    capability: 'replace',
    run: async () => {
      const input = JSON.stringify(aCluster('patched', { labels: { replaced: 'yes' } }));
      await kubectl().ok(['replace', '-f', '-'], { input });
      const path = 'jsonpath={.metadata.labels}';
      assert.equal(await kubectl().ok(['get', 'cluster', 'patched', '-o', path]), '{"replaced":"yes"}');
    },
  },
  {
    capability: 'replace --force',
    run: async () => {
      const uid = ['get', 'cluster', 'patched', '-o', 'jsonpath={.metadata.uid}'];
      const before = await kubectl().ok(uid);
      await kubectl().ok(['replace', '--force', '-f', '-'], { input: JSON.stringify(aCluster('patched')) });
      assert.notEqual(await kubectl().ok(uid), before);
    },
  },
  {
    capability: 'edit',
    run: async () => {
      const env = { EDITOR: 'sed -i s/m5.large/m5.xlarge/' };
      assert.match(await kubectl().ok(['edit', 'cluster', 'patched'], { env }), /patched edited/);
      const path = 'jsonpath={.spec.nodePools[0].machineType}';
      assert.equal(await kubectl().ok(['get', 'cluster', 'patched', '-o', path]), 'm5.xlarge');
    },
  },
  {
    capability: 'edit, when the change is refused',
    run: async () => {
      const env = { EDITOR: 'sed -i s/us-east-1/nowhere/' };
      assert.match(
        await kubectl().fails(['edit', 'cluster', 'patched'], { env }),
        /clusters\.lifecycle\.crate\.dev "patched" is invalid/,
      );
    },
  },
  {
    capability: 'label and annotate, set, overwrite, remove',
    run: async () => {
      await kubectl().ok(['label', 'cluster', 'patched', 'tier=one']);
      await kubectl().fails(['label', 'cluster', 'patched', 'tier=two']);
      await kubectl().ok(['label', 'cluster', 'patched', 'tier=two', '--overwrite']);
      await kubectl().ok(['annotate', 'cluster', 'patched', 'note=any text: even this']);
      const form = 'jsonpath={.metadata.labels.tier} {.metadata.annotations.note}';
      assert.equal(await kubectl().ok(['get', 'cl', 'patched', '-o', form]), 'two any text: even this');
      await kubectl().ok(['label', 'cluster', 'patched', 'tier-']);
      assert.equal(await kubectl().ok(['get', 'cl', 'patched', '-o', 'jsonpath={.metadata.labels.tier}']), '');
    },
  },
  {
    capability: 'label --all, with a selector',
    run: async () => {
      await apply(aCluster('many-a', { labels: { many: 'yes' } }), aCluster('many-b', { labels: { many: 'yes' } }));
      const printed = await kubectl().ok(['label', 'clusters', '-l', 'many=yes', 'seen=yes']);
      assert.equal(printed.trim().split('\n').length, 2);
    },
  },
  {
    capability: 'patch --subresource=status is refused',
    run: async () => {
      const args = ['patch', 'cluster', 'patched', '--subresource=status', '--type=merge', '-p', '{"status":{}}'];
      assert.match(await kubectl().fails(args), /\(Forbidden\).*written by the service that owns/);
    },
    note: 'a status is what its service observed; no person writes it',
  },
];
