import assert from 'node:assert/strict';
import { aCluster, anAccount, inOneFile } from '../documents.js';
import type { KubectlRows } from './kubectl-client.js';

/** `delete` and `wait`. */
export const deletingRows: KubectlRows = ({ kubectl, apply, bench, project }) => {
  const isThere = async (name: string) => (await kubectl().run(['get', 'cluster', name])).code === 0;
  /** An owner and its dependent. */
  const family = async (owner: string): Promise<string> => {
    await apply(aCluster(owner));
    const uid = await kubectl().ok(['get', 'cluster', owner, '-o', 'jsonpath={.metadata.uid}']);
    const reference = {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Cluster',
      name: owner,
      uid,
      blockOwnerDeletion: true,
    };
    const child = aCluster(`${owner}-child`);
    await apply({ ...child, metadata: { ...child.metadata, ownerReferences: [reference] } });
    return child.metadata.name;
  };
  const hold = async (name: string, finalizers: readonly string[]): Promise<void> => {
    const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${project}/clusters/${name}`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { code, text } = await bench.admin.call('PATCH', path, { body: { metadata: { finalizers } }, headers });
    assert.equal(code, 200, text);
  };
  return [
    {
      capability: 'delete, and wait until it is gone',
      run: async () => {
        await apply(aCluster('doomed'));
        assert.match(await kubectl().ok(['delete', 'cluster', 'doomed']), /"doomed" deleted/);
        assert.ok(!(await isThere('doomed')));
      },
    },
    {
      capability: 'delete --wait=false, while finalizers hold it',
      run: async () => {
        await apply(aCluster('held'));
        await hold('held', ['example.com/hold']);
        await kubectl().ok(['delete', 'cluster', 'held', '--wait=false']);
        assert.notEqual(await kubectl().ok(['get', 'cl', 'held', '-o', 'jsonpath={.metadata.deletionTimestamp}']), '');
        await hold('held', []);
        assert.ok(!(await isThere('held')));
      },
    },
    {
      capability: 'delete by selector, and --all',
      run: async () => {
        await apply(anAccount('sel-a', { del: 'yes' }), anAccount('sel-b', { del: 'yes' }), anAccount('sel-c'));
        const printed = await kubectl().ok(['delete', 'ca', '-l', 'del=yes']);
        assert.match(printed, /"sel-a" deleted[^]*"sel-b" deleted/);
        assert.doesNotMatch(printed, /sel-c/);
        assert.match(await kubectl().ok(['delete', 'clusters', '--all']), /deleted/);
        assert.equal(await kubectl().ok(['get', 'clusters', '-o', 'name']), '');
      },
    },
    {
      capability: 'delete -f, of what is there and what is not',
      run: async () => {
        await apply(aCluster('file-a'));
        const input = inOneFile(aCluster('file-a'), aCluster('file-b'));
        assert.match(await kubectl().ok(['delete', '--ignore-not-found', '-f', '-'], { input }), /"file-a" deleted/);
      },
    },
    {
      capability: 'delete --dry-run=server',
      run: async () => {
        await apply(aCluster('spared'));
        await kubectl().ok(['delete', 'cluster', 'spared', '--dry-run=server']);
        assert.ok(await isThere('spared'));
      },
    },
    {
      capability: 'delete --cascade=background',
      run: async () => {
        const child = await family('background');
        await kubectl().ok(['delete', 'cluster', 'background', '--cascade=background']);
        assert.ok(!(await isThere(child)));
      },
    },
    {
      capability: 'delete --cascade=foreground',
      run: async () => {
        const child = await family('foreground');
        await hold(child, ['example.com/hold']);
        await kubectl().ok(['delete', 'cluster', 'foreground', '--cascade=foreground', '--wait=false']);
        assert.ok(await isThere('foreground'), 'the owner waits for its dependents');
        await hold(child, []);
        await kubectl().ok(['wait', 'cluster/foreground', '--for=delete', '--timeout=30s']);
      },
    },
    {
      capability: 'delete --cascade=orphan',
      run: async () => {
        const child = await family('orphan');
        await kubectl().ok(['delete', 'cluster', 'orphan', '--cascade=orphan']);
        const path = 'jsonpath={.metadata.ownerReferences}';
        assert.equal(await kubectl().ok(['get', 'cluster', child, '-o', path]), '');
      },
    },
    {
      capability: 'wait --for=condition',
      run: async () => {
        await apply(anAccount('awaited'));
        const printed = await kubectl().ok(['wait', 'ca/awaited', '--for=condition=Ready', '--timeout=30s']);
        assert.match(printed, /awaited condition met/);
      },
    },
    {
      capability: 'wait --for=jsonpath',
      run: async () => {
        await apply(aCluster('path'));
        const args = ['wait', 'cluster/path', '--for=jsonpath={.metadata.labels.go}=now', '--timeout=30s'];
        const waiting = kubectl().start(args);
        await kubectl().ok(['label', 'cluster', 'path', 'go=now']);
        assert.match(await waiting.ends(), /path condition met/);
      },
    },
    {
      capability: 'wait --for=delete',
      run: async () => {
        await apply(aCluster('going'));
        await hold('going', ['example.com/hold']);
        await kubectl().ok(['delete', 'cluster', 'going', '--wait=false']);
        const waiting = kubectl().start(['wait', 'cluster/going', '--for=delete', '--timeout=30s']);
        await hold('going', []);
        // Without a word when it is gone before kubectl looks; what counts is that the wait ends.
        assert.match(await waiting.ends(), /^$|going condition met/);
        assert.ok(!(await isThere('going')));
      },
    },
    {
      capability: 'wait, when the time is up',
      run: async () => {
        const args = ['wait', 'cluster/path', '--for=condition=Nothing', '--timeout=1s'];
        assert.match(await kubectl().fails(args), /timed out waiting for the condition/);
      },
    },
  ];
};
