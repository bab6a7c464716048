import assert from 'node:assert/strict';
import { aCluster, anAccount } from '../documents.js';
import type { KubectlRows } from './kubectl-client.js';

/** `get` in all its forms, `describe`, and what the server says of itself. */
export const readingRows: KubectlRows = ({ kubectl, apply, project }) => [
  {
    capability: 'version',
    run: async () => {
      const { serverVersion } = JSON.parse(await kubectl().ok(['version', '-o', 'json'])) as {
        readonly serverVersion: { readonly major: string };
      };
      assert.equal(serverVersion.major, '1');
    },
  },
  {
    capability: 'api-resources',
    run: async () => {
      const printed = await kubectl().ok(['api-resources']);
      assert.match(printed, /^clusters +cl +lifecycle\.crate\.dev\/v1alpha1 +true +Cluster$/m);
      assert.match(printed, /^cloudaccounts +ca +cloud\.crate\.dev\/v1alpha1 +true +CloudAccount$/m);
    },
    note: 'kinds of all services, found at run time',
  },
  {
    capability: 'api-resources --verbs --namespaced',
    run: async () => {
      const printed = await kubectl().ok(['api-resources', '--verbs=list,watch', '--namespaced=false', '-o', 'name']);
      assert.match(printed, /^projects\.lifecycle\.crate\.dev$/m);
      assert.doesNotMatch(printed, /^clusters\./m);
    },
  },
  {
    capability: 'get crd: there are none, and they can be asked for',
    run: async () => {
      const { code, stdout, stderr } = await kubectl().run(['get', 'crd', '-o', 'name']);
      assert.deepEqual([code, stdout], [0, ''], stderr);
      await kubectl().fails(['get', 'crd', 'clusters.lifecycle.crate.dev']);
    },
    note: 'Terraform’s kubernetes_manifest asks before it looks into OpenAPI',
  },
  {
    capability: 'api-versions',
    run: async () => assert.match(await kubectl().ok(['api-versions']), /^cluster\.crate\.dev\/v1alpha1$/m),
  },
  {
    capability: 'get, as a table with the columns of the kind',
    run: async () => {
      await apply(aCluster('table'));
      const printed = await kubectl().ok(['get', 'clusters', 'table']);
      assert.match(printed, /^NAME +READY +REASON +VERSION +/);
      assert.match(printed, /^table .* v1\.31\.4 +.*us-east-1/m);
    },
  },
  {
    capability: 'get -o wide',
    run: async () => {
      const [plain, wide] = [await kubectl().ok(['get', 'cl']), await kubectl().ok(['get', 'cl', '-o', 'wide'])];
      assert.ok(columns(wide) > columns(plain));
    },
  },
  {
    capability: 'get -o yaml',
    run: async () => {
      const printed = await kubectl().ok(['get', 'cluster', 'table', '-o', 'yaml']);
      assert.match(printed, /^kind: Cluster$/m);
      assert.match(printed, /^ {2}region: us-east-1$/m);
    },
  },
  {
    capability: 'get -o json of a list',
    run: async () => {
      const { kind, items } = JSON.parse(await kubectl().ok(['get', 'clusters', '-o', 'json'])) as {
        readonly kind: string;
        readonly items: readonly { readonly kind: string; readonly apiVersion: string }[];
      };
      assert.equal(kind, 'List');
      assert.ok(items.every((item) => item.kind === 'Cluster' && item.apiVersion === 'lifecycle.crate.dev/v1alpha1'));
    },
  },
  {
    capability: 'get -o name',
    run: async () =>
      assert.equal(await kubectl().ok(['get', 'cluster/table', '-o', 'name']), 'cluster.lifecycle.crate.dev/table\n'),
  },
  {
    capability: 'get -o jsonpath',
    run: async () => {
      const path = '{.spec.nodePools[?(@.name=="workers")].replicas}';
      assert.equal(await kubectl().ok(['get', 'cluster', 'table', '-o', `jsonpath=${path}`]), '2');
    },
  },
  {
    capability: 'get -o custom-columns',
    run: async () => {
      const form = 'custom-columns=WHO:.metadata.name,WHERE:.spec.region';
      assert.match(await kubectl().ok(['get', 'cluster', 'table', '-o', form]), /^WHO +WHERE\ntable +us-east-1\n$/);
    },
  },
  {
    capability: 'get -l, equal, set and absent',
    run: async () => {
      await apply(aCluster('gold', { labels: { tier: 'gold' } }), aCluster('iron', { labels: { tier: 'iron' } }));
      const names = (selector: string) =>
        kubectl().ok(['get', 'cl', '-l', selector, '-o', 'jsonpath={.items[*].metadata.name}']);
      assert.equal(await names('tier=gold'), 'gold');
      assert.equal(await names('tier in (gold,iron)'), 'gold iron');
      assert.ok(!(await names('!tier')).includes('gold'));
    },
  },
  {
    capability: 'get --field-selector',
    run: async () => {
      const selected = (selector: string) =>
        kubectl().ok(['get', 'cl', '--field-selector', selector, '-o', 'jsonpath={.items[*].metadata.name}']);
      assert.equal(await selected('metadata.name=gold'), 'gold');
      assert.equal(await selected('spec.region!=us-east-1'), '');
    },
  },
  {
    capability: 'get -L and --show-labels',
    run: async () => {
      assert.match(await kubectl().ok(['get', 'cl', 'gold', '-L', 'tier']), / TIER\ngold .* gold\n$/);
      assert.match(await kubectl().ok(['get', 'cl', 'gold', '--show-labels']), / tier=gold\n$/);
    },
  },
  {
    capability: 'get -A',
    run: async () => {
      const printed = await kubectl().ok(['get', 'clusters', '-A']);
      assert.match(printed, /^NAMESPACE +NAME/);
      assert.match(printed, new RegExp(`^${project} +gold `, 'm'));
    },
  },
  {
    capability: 'get --sort-by',
    run: async () => {
      const args = ['get', 'cl', '-l', 'tier', '--sort-by={.metadata.labels.tier}', '-o', 'name'];
      assert.match(await kubectl().ok(args), /gold\n.*iron\n$/);
    },
  },
  {
    capability: 'get --chunk-size',
    run: async () => {
      const verbose = await kubectl().run(['get', 'clusters', '--chunk-size=1', '-o', 'name', '-v=8']);
      const all = await kubectl().ok(['get', 'clusters', '--chunk-size=0', '-o', 'name']);
      assert.equal(verbose.stdout, all);
      assert.match(verbose.stderr, /continue=/);
    },
    note: 'pages of one snapshot',
  },
  {
    capability: 'get by category and several kinds at once',
    run: async () => {
      const printed = await kubectl().ok(['get', 'crate', '-o', 'name']);
      assert.match(printed, /^cluster\.lifecycle\.crate\.dev\/gold$/m);
      assert.match(printed, /^cloudaccount\.cloud\.crate\.dev\/sandbox$/m);
      assert.match(await kubectl().ok(['get', 'cl,ca', '-o', 'name']), /cloudaccount\.cloud\.crate\.dev\/sandbox/);
    },
  },
  {
    capability: 'get of what does not exist',
    run: async () => {
      assert.match(
        await kubectl().fails(['get', 'cluster', 'absent']),
        /\(NotFound\): clusters\.lifecycle\.crate\.dev "absent" not found/,
      );
      assert.match(
        await kubectl()
          .run(['get', 'cluster', 'absent', '--ignore-not-found'])
          .then(({ stderr }) => stderr),
        /^$/,
      );
      assert.match(await kubectl().fails(['get', 'things']), /doesn't have a resource type "things"/);
    },
  },
  {
    capability: 'get -w',
    run: async () => {
      const watch = kubectl().start(['get', 'clusters', '-w', '-L', 'seen']);
      await watch.prints(/^gold /m);
      await kubectl().ok(['label', 'cluster', 'gold', 'seen=watched']);
      await watch.prints(/^gold .* watched$/m);
      await watch.stop();
    },
  },
  {
    capability: 'get --watch-only, of one name, with events',
    run: async () => {
      const args = ['get', 'cluster', 'iron', '--watch-only', '--output-watch-events', '-o', 'json'];
      const watch = kubectl().start(args);
      // It prints nothing before something changes, so the change is made until it is seen.
      for (let count = 0; ; count += 1) {
        await kubectl().ok(['label', 'cluster', 'iron', '--overwrite', `seen=${count}`]);
        const isSeen = await Promise.race([watch.prints(/"MODIFIED"/).then(() => true), pause(500)]);
        if (isSeen) break;
      }
      assert.doesNotMatch(await watch.prints(/"iron"/), /"name": "gold"/);
      await watch.stop();
    },
  },
  {
    capability: 'get -w across namespaces, of a kind of another service',
    run: async () => {
      const watch = kubectl().start(['get', 'cloudaccounts', '-A', '-w']);
      await watch.prints(/^NAMESPACE +NAME/);
      await apply(anAccount('late'));
      await watch.prints(new RegExp(`^${project} +late `, 'm'));
      await watch.stop();
    },
    note: 'over NATS',
  },
  {
    capability: 'get --raw',
    run: async () => {
      const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${project}/clusters?limit=1`;
      const { kind } = JSON.parse(await kubectl().ok(['get', '--raw', path])) as { readonly kind: string };
      assert.equal(kind, 'ClusterList');
      assert.equal(await kubectl().ok(['get', '--raw', '/readyz']), 'ok');
    },
  },
  {
    capability: 'describe',
    run: async () => {
      const printed = await kubectl().ok(['describe', 'cluster', 'gold']);
      assert.match(printed, /^Name: +gold$/m);
      assert.match(printed, /^ +Region: +us-east-1$/m);
    },
  },
  {
    capability: 'get --subresource=status',
    run: async () => {
      const printed = await kubectl().ok(['get', 'ca', 'sandbox', '--subresource=status', '-o', 'yaml']);
      assert.match(printed, /^status:$/m);
    },
  },
];

function columns(table: string): number {
  return (table.split('\n')[0] ?? '').trim().split(/ {2,}/).length;
}

async function pause(ms: number): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return false;
}
