import assert from 'node:assert/strict';
import { eventually } from '@crate/testing';
import { WHOLE } from '../bench.js';
import { aCluster } from '../documents.js';
import type { KubectlRows } from './kubectl-client.js';

const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces';

/** Events, logs, plans and kubeconfigs: what is done for a cluster. */
export const followingRows: KubectlRows = ({ kubectl, apply, project }) => {
  /** Events come a moment after what they tell of. */
  const prints = (args: readonly string[], expected: RegExp) =>
    eventually(async () => assert.match(await kubectl().ok(args), expected));
  const raw = (path: string) => ['get', '--raw', `${CLUSTERS}/${path}`];
  const ofWhole = (path: string) => raw(`${WHOLE.project}/clusters/${WHOLE.name}/${path}`);
  return [
    {
      capability: 'describe shows events',
      run: async () => {
        await apply(aCluster('followed'), aCluster('unnoticed'));
        await prints(['describe', 'cluster', 'followed'], /^Events:[^]*\n +Normal +Paused .* lifecycle +Nothing is/m);
      },
    },
    {
      capability: 'events, and events --for',
      run: async () => {
        await prints(['events'], /Cluster\/unnoticed/i);
        const printed = await kubectl().ok(['events', '--for', 'cluster/followed']);
        assert.match(printed, /Normal +Paused +Cluster\/followed/i);
        assert.doesNotMatch(printed, /unnoticed/);
      },
    },
    {
      capability: 'get events --field-selector',
      run: async () => {
        const selected = (selector: string) =>
          kubectl().ok(['get', 'events', `--field-selector=${selector}`, '-o', 'jsonpath={.items[*].reason}']);
        assert.equal(await selected('involvedObject.name=followed,involvedObject.kind=Cluster'), 'Paused');
        assert.equal(await selected('involvedObject.name=followed,type=Warning'), '');
      },
    },
    {
      capability: 'wait until a whole cluster is Ready',
      run: async () => {
        const args = ['wait', `cluster/${WHOLE.name}`, '-n', WHOLE.project, '--for=condition=Ready', '--timeout=55s'];
        assert.match(await kubectl().ok(args), /condition met/);
      },
    },
    {
      capability: 'get --raw of logs',
      run: async () => {
        assert.match(await kubectl().ok(ofWhole('logs')), /^\[terraform\] [^]*^\[rke\] /m);
        const last = await kubectl().ok(ofWhole('logs?tailLines=2'));
        assert.equal(last.trimEnd().split('\n').length, 2);
      },
    },
    {
      capability: 'get --raw of plan, for programs and for people',
      run: async () => {
        const plan = JSON.parse(await kubectl().ok(ofWhole('plan'))) as { readonly kind: string };
        assert.equal(plan.kind, 'RunPlan');
        assert.match(
          await kubectl().ok(ofWhole('plan?format=text')),
          /^Infrastructure ".*", generation 1\nApply, .*applied$/m,
        );
        assert.match(await kubectl().fails(raw(`${project}/clusters/followed/plan`)), /\(NotFound\)/);
      },
    },
    {
      capability: 'get --raw of kubeconfig, or how far the cluster is',
      run: async () => {
        assert.match(await kubectl().ok(ofWhole('kubeconfig')), /^apiVersion: v1\nkind: Config\n/);
        const wrong = await kubectl().fails(ofWhole('kubeconfig?expirationSeconds=60'));
        assert.match(wrong, /\(BadRequest\): expirationSeconds must be a whole number of seconds from 600/);
        const refusal = await kubectl().fails(raw(`${project}/clusters/followed/kubeconfig`));
        assert.match(refusal, /\(Conflict\): There is no kubeconfig of cluster "followed": .*Paused/);
      },
      note: '409 with progress until Kubernetes is up',
    },
  ];
};
