import assert from 'node:assert/strict';
import { VIEWER, WHOLE } from '../bench.js';
import { aCluster } from '../documents.js';
import type { KubectlRows } from './kubectl-client.js';

/** The last version whose programs know only drafts of SelfSubjectReview. */
const WITHOUT_WHO_AM_I = '1.27';

/** A member with the role viewer, API keys, and the audit log. */
export const memberRows: KubectlRows = ({ kubectl, viewer, apply, project, version }) => {
  const apiKey = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'APIKey', metadata: { name: 'ci' } };
  const whoAmI = {
    capability: 'auth whoami',
    run: async () => {
      const printed = await viewer().ok(['auth', 'whoami']);
      assert.match(printed, new RegExp(`^Username +${VIEWER}$`, 'm'));
      assert.match(printed, /^Groups +\[system:authenticated\]$/m);
    },
    note: 'from 1.28 on',
  };
  return [
    {
      capability: 'a viewer: auth can-i, and --list',
      run: async () => {
        const printed = await viewer().ok(['auth', 'can-i', '--list']);
        assert.match(printed, /^clusters\.lifecycle\.crate\.dev .*\[get list watch\]$/m);
        assert.doesNotMatch(printed, /kubeconfig|apikeys/);
        const { code, stdout } = await viewer().run(['auth', 'can-i', 'create', 'clusters']);
        assert.deepEqual([code, stdout.startsWith('no')], [1, true]);
        assert.equal(await viewer().ok(['auth', 'can-i', 'watch', 'clusters']), 'yes\n');
      },
    },
    ...(version === WITHOUT_WHO_AM_I ? [] : [whoAmI]),
    {
      capability: 'a viewer reads, and writes are refused',
      run: async () => {
        await apply(aCluster('looked-at'));
        assert.match(await viewer().ok(['get', 'clusters', '-o', 'name']), /\/looked-at$/m);
        const refusal = await viewer().fails(['create', '-f', '-'], { input: JSON.stringify(aCluster('refused')) });
        assert.match(refusal, /\(Forbidden\): .*cannot create resource "clusters".*Needs role operator in Project/);
        assert.match(await viewer().fails(['delete', 'cluster', 'looked-at']), /\(Forbidden\): .*cannot delete/);
      },
    },
    {
      capability: 'a viewer gets no kubeconfig',
      run: async () => {
        const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${project}/clusters/looked-at/kubeconfig`;
        const refusal = await viewer().fails(['get', '--raw', path]);
        assert.match(refusal, /\(Forbidden\): .*cannot get resource "clusters\/kubeconfig"/);
      },
    },
    {
      capability: 'get projects shows a member just their own',
      run: async () => {
        const all = await kubectl().ok(['get', 'projects', '-o', 'name']);
        const own = await viewer().ok(['get', 'projects', '-o', 'name']);
        const line = (name: string) => new RegExp(`/${name}$`, 'm');
        for (const name of [project, WHOLE.project]) assert.match(all, line(name));
        assert.match(own, line(project));
        assert.doesNotMatch(own, line(WHOLE.project));
        assert.match(await viewer().fails(['get', 'clusters', '-n', WHOLE.project]), /\(Forbidden\)/);
        assert.match(await viewer().fails(['get', 'clusters', '-A']), /\(Forbidden\): .*at the cluster scope/);
      },
    },
    {
      capability: 'create --raw issues the token of an APIKey, and it works',
      run: async () => {
        await kubectl().ok(['create', '-f', '-'], { input: JSON.stringify({ ...apiKey, spec: { role: 'viewer' } }) });
        const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${project}/apikeys/ci/token`;
        const issued = await kubectl().ok(['create', '--raw', path, '-f', '-'], { input: '{}' });
        const { status } = JSON.parse(issued) as { readonly status: { readonly token: string } };
        await kubectl().ok(['config', 'set-credentials', 'ci', `--token=${status.token}`]);
        assert.match(await kubectl().ok(['get', 'clusters', '-o', 'name', '--user=ci']), /\/looked-at$/m);
        assert.match(await kubectl().fails(['delete', 'cluster', 'looked-at', '--user=ci']), /\(Forbidden\)/);
      },
    },
    {
      capability: 'get auditevents, by who and what',
      run: async () => {
        const selector = `--field-selector=user=${VIEWER},decision=denied,verb=delete`;
        const printed = await kubectl().ok(['get', 'auditevents', selector]);
        assert.match(printed, new RegExp(`${VIEWER} +delete +clusters +looked-at +403`));
        assert.match(await viewer().fails(['get', 'auditevents']), /\(Forbidden\)/);
      },
    },
  ];
};
