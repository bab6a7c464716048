import assert from 'node:assert/strict';
import { aClass, aCluster, anAccount, inOneFile } from '../documents.js';
import type { KubectlRows } from './kubectl-client.js';

const SERVER_SIDE = ['apply', '--server-side', '-f', '-'];

/** `apply` on both sides, and `diff`. */
export const applyingRows: KubectlRows = ({ kubectl, apply, project }) => {
  const get = (name: string, path: string) => kubectl().ok(['get', 'cluster', name, '-o', `jsonpath=${path}`]);
  return [
    {
      capability: 'apply: created, unchanged, configured',
      run: async () => {
        // Without lists: client-side apply replaces them whole, and cannot tell a default in them from a change.
        const apply = (replicas: number) => {
          const spec = { nodePools: [], controlPlane: { replicas } };
          return kubectl().ok(['apply', '-f', '-'], { input: JSON.stringify(aCluster('applied', { spec })) });
        };
        assert.match(await apply(1), /applied created$/m);
        assert.match(await apply(1), /applied unchanged$/m);
        assert.match(await apply(3), /applied configured$/m);
        assert.equal(await get('applied', '{.spec.controlPlane.replicas}'), '3');
      },
    },
    {
      capability: 'apply takes away what is no longer stated',
      run: async () => {
        const stated = (labels: Record<string, string>) => ({ input: JSON.stringify(aCluster('pruned', { labels })) });
        await kubectl().ok(['apply', '-f', '-'], stated({ a: '1', b: '2' }));
        await kubectl().ok(['label', 'cluster', 'pruned', 'c=3']);
        await kubectl().ok(['apply', '-f', '-'], stated({ a: '1' }));
        assert.equal(await get('pruned', '{.metadata.labels}'), '{"a":"1","c":"3"}');
      },
    },
    {
      capability: 'apply --force is refused above the ceiling, and deletes nothing',
      run: async () => {
        const sized = (machineType: string) => {
          const spec = { maxImpact: 'none', nodePools: [{ name: 'workers', replicas: 1, machineType }] };
          return { input: JSON.stringify(aCluster('capped', { spec })) };
        };
        await kubectl().ok(['apply', '-f', '-'], sized('m5.large'));
        const uid = await get('capped', '{.metadata.uid}');
        assert.match(await kubectl().fails(['apply', '--force', '-f', '-'], sized('m5.xlarge')), /is forbidden: spec/);
        assert.equal(await get('capped', '{.metadata.uid}{.metadata.deletionTimestamp}'), uid);
      },
    },
    {
      capability: 'apply of several documents and kinds, as YAML',
      run: async () => {
        const input = inOneFile(aCluster('several'), anAccount('several'));
        const printed = await kubectl().ok(['apply', '-f', '-'], { input });
        assert.match(printed, /cluster\.lifecycle\.crate\.dev\/several created/);
        assert.match(printed, /cloudaccount\.cloud\.crate\.dev\/several created/);
      },
    },
    {
      capability: 'apply --dry-run=server and =client',
      run: async () => {
        const input = JSON.stringify(aCluster('dry'));
        for (const side of ['server', 'client']) {
          const printed = await kubectl().ok(['apply', `--dry-run=${side}`, '-f', '-'], { input });
          assert.match(printed, new RegExp(`dry created \\(${side === 'server' ? 'server ' : ''}dry run\\)`));
        }
        await kubectl().fails(['get', 'cluster', 'dry']);
      },
    },
    {
      capability: 'apply --prune by label',
      run: async () => {
        const stated = (...names: readonly string[]) => ({
          input: inOneFile(...names.map((name) => aCluster(name, { labels: { set: 'one' } }))),
        });
        const args = [
          'apply',
          '--prune',
          '-l',
          'set=one',
          '--prune-allowlist=lifecycle.crate.dev/v1alpha1/Cluster',
          '-f',
          '-',
        ];
        await kubectl().ok(args, stated('prune-a', 'prune-b'));
        assert.match(await kubectl().ok(args, stated('prune-a')), /prune-b pruned$/m);
        assert.match(await kubectl().ok(['get', 'cl', '-l', 'set=one', '-o', 'name']), /^[^\n]*prune-a\n$/);
      },
      note: 'with --prune-allowlist',
    },
    {
      capability: 'diff',
      run: async () => {
        await kubectl().ok(['apply', '-f', '-'], { input: JSON.stringify(aCluster('diffed')) });
        const same = await kubectl().run(['diff', '-f', '-'], { input: JSON.stringify(aCluster('diffed')) });
        assert.deepEqual([same.code, same.stdout], [0, '']);
        const input = JSON.stringify(aCluster('diffed', { labels: { added: 'yes' } }));
        const other = await kubectl().run(['diff', '-f', '-'], { input });
        assert.equal(other.code, 1, other.stderr);
        assert.match(other.stdout, /^\+ +added: "?yes"?$/m);
      },
    },
    {
      capability: 'diff --server-side',
      run: async () => {
        const input = JSON.stringify(aCluster('diffed', { labels: { added: 'yes' } }));
        const { code, stdout } = await kubectl().run(['diff', '--server-side', '--force-conflicts', '-f', '-'], {
          input,
        });
        assert.equal(code, 1);
        assert.match(stdout, /^\+ +added: "?yes"?$/m);
      },
    },
    {
      capability: 'apply --server-side, with managed fields',
      run: async () => {
        const input = JSON.stringify(aCluster('owned'));
        assert.match(await kubectl().ok([...SERVER_SIDE, '--field-manager=ci'], { input }), /owned serverside-applied/);
        const shown = await kubectl().ok(['get', 'cluster', 'owned', '-o', 'yaml', '--show-managed-fields']);
        assert.match(shown, /^ +manager: ci$/m);
        assert.match(shown, /k:\{"name":"workers"\}/);
      },
    },
    {
      capability: 'apply --server-side changes nothing the second time',
      run: async () => {
        const before = await get('owned', '{.metadata.resourceVersion}');
        await kubectl().ok([...SERVER_SIDE, '--field-manager=ci'], { input: JSON.stringify(aCluster('owned')) });
        assert.equal(await get('owned', '{.metadata.resourceVersion}'), before);
      },
    },
    {
      capability: 'a server-side dry run of what is stored shows no difference, with pools of a class, too',
      run: async () => {
        const className = `${project}-more`;
        await kubectl().ok(['apply', '-f', '-'], { input: JSON.stringify(aClass(className)) });
        const { accountRef, region } = { accountRef: { name: 'sandbox' }, region: 'us-east-1' };
        const nodePools = [{ name: 'extra', replicas: 1, machineType: 'm5.large' }];
        const spec = { paused: true, accountRef, region, classRef: { name: className }, nodePools };
        const input = JSON.stringify({ ...aCluster('with-class'), spec });
        const stored = await kubectl().ok([...SERVER_SIDE, '-o', 'json'], { input });
        const again = await kubectl().ok([...SERVER_SIDE, '--dry-run=server', '-o', 'json'], { input });
        const comparable = (text: string) => {
          const { metadata, spec: shown } = JSON.parse(text) as { metadata: { generation: number }; spec: object };
          return { generation: metadata.generation, shown };
        };
        assert.deepEqual(comparable(again), comparable(stored));
        assert.match(await get('with-class', '{.spec.nodePools[*].name}'), /^workers extra$/);
      },
    },
    {
      capability: 'server-side conflicts name manager and field',
      run: async () => {
        const scaled = aCluster('owned', { spec: { nodePools: [{ name: 'workers', replicas: 9 }] } });
        const refusal = await kubectl().fails([...SERVER_SIDE, '--field-manager=scaler'], {
          input: JSON.stringify(scaled),
        });
        assert.match(refusal, /conflict with "ci": \.spec\.nodePools\[name="workers"\]\.replicas/);
      },
    },
    {
      capability: 'apply --server-side --force-conflicts takes fields over',
      run: async () => {
        const scaled = aCluster('owned', { spec: { nodePools: [{ name: 'workers', replicas: 9 }] } });
        const args = [...SERVER_SIDE, '--field-manager=scaler', '--force-conflicts'];
        await kubectl().ok(args, { input: JSON.stringify(scaled) });
        assert.equal(await get('owned', '{.spec.nodePools[0].replicas}'), '9');
      },
    },
    {
      capability: 'lists merge by key; what nobody states any more goes',
      run: async () => {
        const partial = (...names: readonly string[]) => {
          const { spec: _spec, ...head } = aCluster('keyed');
          return {
            input: JSON.stringify({ ...head, spec: { nodePools: names.map((name) => ({ name, replicas: 1 })) } }),
          };
        };
        await apply(aCluster('keyed'));
        const names = () => get('keyed', '{.spec.nodePools[*].name}');
        await kubectl().ok([...SERVER_SIDE, '--field-manager=pools'], partial('blue', 'green'));
        assert.equal(await names(), 'workers blue green');
        await kubectl().ok([...SERVER_SIDE, '--field-manager=pools'], partial('green'));
        assert.equal(await names(), 'workers green');
      },
    },
    {
      capability: 'apply --server-side --dry-run=server',
      run: async () => {
        const input = JSON.stringify(aCluster('dry-ssa'));
        await kubectl().ok([...SERVER_SIDE, '--dry-run=server'], { input });
        await kubectl().fails(['get', 'cluster', 'dry-ssa']);
      },
    },
    {
      capability: 'from client side to server side without conflicts',
      run: async () => {
        const input = JSON.stringify(aCluster('migrated'));
        await kubectl().ok(['apply', '-f', '-'], { input });
        await kubectl().ok(SERVER_SIDE, { input });
        const managers = await kubectl().ok([
          ...[
            'get',
            'cluster',
            'migrated',
            '--show-managed-fields',
            '-o',
            'jsonpath={.metadata.managedFields[*].operation}',
          ],
        ]);
        assert.match(managers, /Apply/);
      },
    },
    {
      capability: 'apply view-last-applied',
      run: async () => {
        const printed = await kubectl().ok(['apply', 'view-last-applied', 'cluster/applied', '-o', 'json']);
        assert.match(printed, /"replicas": 3/);
      },
    },
  ];
};
