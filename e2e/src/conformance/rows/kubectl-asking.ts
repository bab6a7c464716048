import assert from 'node:assert/strict';
import type { KubectlRows } from './kubectl-client.js';

/** `explain`, `auth` and `config`. */
export const askingRows: KubectlRows = ({ kubectl, project }) => [
  {
    capability: 'explain',
    run: async () => {
      const printed = await kubectl().ok(['explain', 'cluster.spec.controlPlane']);
      assert.match(printed, /KIND: +Cluster/);
      assert.match(printed, /replicas\t?.*<integer>/);
    },
  },
  {
    capability: 'explain --recursive',
    run: async () => {
      const printed = await kubectl().ok(['explain', 'clusters', '--recursive']);
      assert.match(printed, /^ +nodePools\t<\[\]Object>/m);
      assert.match(printed, /^ +machineType\t<string>/m);
      assert.match(printed, /^ +ownerReferences\t<\[\]/m);
    },
  },
  {
    capability: 'explain of a kind of another service',
    run: async () => assert.match(await kubectl().ok(['explain', 'ca.spec']), /accountId\t<string>/),
  },
  {
    capability: 'auth can-i',
    run: async () => {
      assert.equal(await kubectl().ok(['auth', 'can-i', 'create', 'clusters']), 'yes\n');
      const { code, stdout } = await kubectl().run(['auth', 'can-i', 'delete', 'infrastructures']);
      assert.deepEqual([code, stdout.startsWith('no')], [1, true]);
    },
  },
  {
    capability: 'auth can-i --subresource',
    run: async () => {
      const ask = (verb: string) => kubectl().run(['auth', 'can-i', verb, 'clusters', '--subresource=status']);
      assert.deepEqual([(await ask('get')).code, (await ask('update')).code], [0, 1]);
    },
  },
  {
    capability: 'auth can-i --list',
    run: async () => {
      const printed = await kubectl().ok(['auth', 'can-i', '--list']);
      assert.match(printed, /^clusters\.lifecycle\.crate\.dev .*\[.*create.*\]$/m);
      assert.match(printed, /^infrastructures\.cloud\.crate\.dev .*\[get list watch\]$/m);
    },
  },
  {
    capability: 'config, with the kubeconfig that is issued',
    run: async () => {
      assert.equal(await kubectl().ok(['config', 'current-context']), 'crate\n');
      const view = await kubectl().ok([
        'config',
        'view',
        '--minify',
        '-o',
        'jsonpath={.contexts[0].context.namespace}',
      ]);
      assert.equal(view, project);
      assert.match(await kubectl().ok(['config', 'view']), /(REDACTED|DATA\+OMITTED)/);
    },
  },
];
