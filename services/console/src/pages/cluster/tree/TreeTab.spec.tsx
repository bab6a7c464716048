import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster, aCondition } from '../testing/a-cluster.js';

const api = new PlayedApi();
const PROJECT = 'v1alpha1/namespaces/team-a';
const CLUSTERS = `/apis/lifecycle.crate.dev/${PROJECT}/clusters`;
const KUBERNETES = `/apis/cluster.crate.dev/${PROJECT}/kubernetesclusters`;
const ADD_ONS = `/apis/cluster.crate.dev/${PROJECT}/addoninstallations`;
const part = (status: object): object => ({
  metadata: { name: 'demo', namespace: 'team-a', uid: 'uid-part' },
  spec: { nodes: [] },
  status: { conditions: [aCondition('Ready', 'True')], ...status },
});
const DOWN = { reason: 'ServiceUnavailable', message: 'cluster-mgmt does not answer' };

describe('the parts of a cluster', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    api.list(`/apis/cloud.crate.dev/${PROJECT}/infrastructures`, [part({})]);
    api.list(KUBERNETES, [part({})]);
    api.list(ADD_ONS, []);
  });
  afterEach(() => api.remove());

  it('are well when all of them say so', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/tree');
    expect(await screen.findByText('All parts are well')).toBeVisible();
  });

  it('are not said to be well while nothing is known of some, and those say why', async () => {
    api.refuse(KUBERNETES, 503, DOWN);
    api.refuse(ADD_ONS, 503, DOWN);
    renderPage(clusterRoutes, '/clusters/team-a/demo/tree');
    expect(await screen.findByText('Nothing is known of KubernetesCluster demo')).toBeVisible();
    expect(screen.getByText('cluster-mgmt does not answer')).toBeVisible();
    expect(screen.getByRole('treeitem', { name: /^Add- ?ons of demo – not known/ })).toBeVisible();
    expect(screen.getByRole('treeitem', { name: /^Infrastructure demo – well/ })).toBeVisible();
    expect(screen.queryByText('All parts are well')).toBeNull();
  });

  it("do not hide the cluster's own word while nothing is known of some", async () => {
    const failure = { code: 'EngineFailed', message: 'etcd has no quorum', retryable: true };
    api.list(CLUSTERS, [aCluster({ failure })]);
    api.refuse(KUBERNETES, 503, DOWN);
    api.refuse(ADD_ONS, 503, DOWN);
    renderPage(clusterRoutes, '/clusters/team-a/demo/tree');
    expect(await screen.findByText('The cause: Cluster demo is failing')).toBeVisible();
  });
});
