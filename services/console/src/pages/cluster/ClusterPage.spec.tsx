import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createRoute, Link, Outlet, type AnyRoute } from '@tanstack/react-router';
import { act, screen, within } from '@testing-library/react';
import type { ReactElement } from 'react';
import { forgetLiveLists } from '../../api/use-live.js';
import { axeFindings } from '../../testing/axe.js';
import { PlayedApi } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { clusterRoutes } from './routes.js';
import { aCluster, aCondition, aPhase } from './testing/a-cluster.js';
import { user } from './testing/user.js';

const api = new PlayedApi();
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const PLANS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/plans';
const RECORDS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/deletionrecords';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const EVENTS = '/api/v1/namespaces/team-a/events';

const event = (type: string, reason: string, message: string, time: string): unknown => ({
  metadata: { name: reason, namespace: 'team-a', uid: reason, creationTimestamp: time },
  involvedObject: { kind: 'Cluster', name: 'demo' },
  related: { kind: 'Infrastructure', name: 'demo' },
  type,
  reason,
  message,
  lastTimestamp: time,
  count: 1,
});

describe('the page of a cluster', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(EVENTS, []);
    api.list(PLANS, []);
  });
  afterEach(() => {
    jest.useRealTimers();
    api.remove();
  });

  it('says at a glance how a cluster stands that is ready', async () => {
    api.list(CLUSTERS, [aCluster()]);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo');
    expect(await screen.findByText('Healthy')).toBeVisible();
    expect(screen.getByRole('heading', { level: 1, name: 'demo' })).toBeVisible();
    expect(screen.getByText('5 of 5 nodes ready')).toBeVisible();
    expect(await screen.findByText('Took 17 s')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Overview' })).toHaveAttribute('aria-current', 'page');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('leads from what went wrong to what to do, and moves on with the cluster', async () => {
    const failure = {
      code: 'QuotaExceeded',
      message: 'The account has no vCPU left in us-east-1',
      field: 'spec.nodePools[0].replicas',
      remedy: 'Ask for a higher quota',
      retryable: true,
    };
    const phases = [
      aPhase('Policy', 'Done'),
      aPhase('Infrastructure', 'Failed', { step: 12, steps: 81, message: 'Creating machines' }),
      aPhase('Kubernetes', 'Pending'),
    ];
    const conditions = [aCondition('Ready', 'False', '12:00:00', { reason: 'ReconcileError' })];
    api.list(CLUSTERS, [aCluster({ failure, phases, conditions })]);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    expect(await screen.findByText(/Something went wrong: QuotaExceeded/)).toBeVisible();
    expect(screen.getByText('Caused by the field spec.nodePools[0].replicas')).toBeVisible();
    expect(screen.getByText('What to do: Ask for a higher quota')).toBeVisible();
    expect(await screen.findByRole('progressbar', { name: 'Progress of Cloud resources' })).toHaveAttribute(
      'aria-valuenow',
      '12',
    );
    expect(await axeFindings(container)).toEqual([]);
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: aCluster() });
    expect(await screen.findByText('Healthy')).toBeVisible();
    expect(screen.queryByText(/QuotaExceeded/)).toBeNull();
  });

  it('says since when a machine is lost, and of add-ons that they were there', async () => {
    const phases = [
      aPhase('Kubernetes', 'Running', { message: '4 of 5 nodes are ready' }),
      aPhase('Add-ons', 'Pending'),
    ];
    const conditions = [
      aCondition('Ready', 'False', '13:00:00'),
      aCondition('ControlPlaneReady', 'True'),
      aCondition('NodesReady', 'False', '13:00:00', { message: 'Not ready: demo-control-plane-1' }),
      aCondition('AddOnsReady', 'True'),
    ];
    api.list(CLUSTERS, [aCluster({ phases, conditions })]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    const alert = await screen.findByRole('region', { name: 'What is wrong' });
    expect(within(alert).getByText('Not ready: demo-control-plane-1')).toBeVisible();
    expect(within(alert).getByText(/^Since:/)).toHaveTextContent(/\d+ d/);
    expect(await screen.findByText('Was done; waits for what is before it')).toBeVisible();
    expect(screen.queryByText('Not started yet')).toBeNull();
  });

  it('has one phase at hand, the first, where add-ons do not wait for a node that is not ready', async () => {
    const phases = [
      aPhase('Kubernetes', 'Running', { message: '4 of 5 nodes are ready' }),
      aPhase('Add-ons', 'Running', { message: '1 of 2 ready' }),
    ];
    api.list(CLUSTERS, [aCluster({ phases, conditions: [aCondition('Ready', 'False', '13:00:00')] })]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    expect(await screen.findByText(/1 of 2 ready/)).toBeVisible();
    const atHand = screen.getAllByRole('listitem').filter((item) => item.ariaCurrent === 'step');
    expect(atHand.map((item) => item.getAttribute('aria-label'))).toEqual(['Kubernetes: Under way']);
  });

  it('says of a cluster that is well that somebody is to decide about a plan of it, and leads there', async () => {
    api.list(CLUSTERS, [aCluster()]);
    const message = 'impact none, 2 to create';
    const plan = {
      metadata: { name: 'grow', namespace: 'team-a', uid: 'uid-grow', creationTimestamp: '2026-01-31T12:00:00Z' },
      spec: { clusterRef: { name: 'demo' } },
      status: { conditions: [aCondition('Ready', 'True', '12:00:05', { reason: 'Ready', message })] },
    };
    api.list(PLANS, [plan]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    expect(await screen.findByRole('heading', { name: /A plan waits for approval/ })).toBeVisible();
    expect(screen.getByText('Blocked')).toBeVisible();
    expect(screen.queryByText('Healthy')).toBeNull();
    expect(screen.getByText(/2 to create/)).toBeVisible();
    const way = screen.getByRole('link', { name: 'grow' });
    expect(way).toHaveAttribute('href', '/console/clusters/team-a/demo/plan?plan=grow');
    const watch = await api.watchOf(PLANS);
    watch.send({ type: 'DELETED', object: plan });
    expect(await screen.findByText('Healthy')).toBeVisible();
  });

  it('shows events, the newest first, and only warnings when asked', async () => {
    api.list(CLUSTERS, [aCluster()]);
    api.list(EVENTS, [
      event('Normal', 'TerraformPlanned', 'Plan: 81 to create', '2026-01-31T12:00:05Z'),
      event('Warning', 'NodeNotReady', 'demo-workers-0 is not ready', '2026-01-31T12:30:00Z'),
    ]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    const table = await screen.findByRole('grid', { name: 'Events' });
    const reasons = within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
    expect(reasons[0]).toContain('NodeNotReady');
    expect(reasons[1]).toContain('TerraformPlanned');
    await user.click(screen.getByRole('switch', { name: 'Warnings only' }));
    expect(screen.queryByText('TerraformPlanned')).toBeNull();
    expect(screen.getByText('NodeNotReady')).toBeVisible();
  });

  it('asks for events of this very cluster, and none of one that had its name before', async () => {
    api.list(CLUSTERS, [aCluster()]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    const { query } = await api.watchOf(EVENTS);
    expect(query.get('fieldSelector')).toBe(
      `involvedObject.kind=Cluster,involvedObject.name=demo,involvedObject.uid=${aCluster().metadata.uid}`,
    );
  });

  it('breaks an address in an event where its words end, and nowhere else', async () => {
    const message = 'The control plane answers at https://127.210.8.1:6443';
    api.list(CLUSTERS, [aCluster()]);
    api.list(EVENTS, [event('Normal', 'KubernetesReady', message, '2026-01-31T12:00:05Z')]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    const shown = await screen.findByText(message);
    expect(shown.innerHTML).toMatch(/:<wbr>6443$/);
  });

  it('says so when there is no such cluster', async () => {
    api.list(CLUSTERS, []);
    api.list(RECORDS, []);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo');
    expect(await screen.findByText('There is no such cluster')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says so when somebody may not see it', async () => {
    api.refuse(CLUSTERS, 403, { reason: 'Forbidden', message: 'ada cannot list clusters' });
    renderPage(clusterRoutes, '/clusters/team-a/demo');
    expect(await screen.findByText('You may not see this')).toBeVisible();
  });

  it('does not take an open dialog along to another cluster', async () => {
    api.answer(CLUSTERS, (query) => {
      const name = query.get('fieldSelector')?.replace('metadata.name=', '') ?? '';
      return { items: [aCluster({}, { metadata: { name, uid: name } })], metadata: { resourceVersion: '1' } };
    });
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    renderPage(framed, '/clusters/team-a/demo/overview');
    await screen.findByRole('heading', { level: 1, name: 'demo' });
    await user.click(screen.getByRole('link', { name: 'To other' }));
    await screen.findByRole('heading', { level: 1, name: 'other' });
    await user.click(screen.getByRole('button', { name: 'Actions' }));
    await user.click(await screen.findByRole('menuitem', { name: /Delete/ }));
    await screen.findByRole('dialog');
    await user.click(screen.getByRole('link', { name: 'To demo' }));
    await screen.findByRole('heading', { level: 1, name: 'demo' });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('does not take an open dialog along to a new cluster of the same name', async () => {
    api.list(CLUSTERS, [aCluster()]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    await user.click(await screen.findByRole('button', { name: 'Actions' }));
    await user.click(await screen.findByRole('menuitem', { name: /Delete/ }));
    await screen.findByRole('dialog');
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: aCluster({ nodes: { ready: 4, desired: 5 } }) });
    await screen.findByText('4 of 5 nodes ready');
    expect(screen.getByRole('dialog')).toBeVisible();
    watch.send({ type: 'DELETED', object: aCluster() });
    watch.send({
      type: 'ADDED',
      object: aCluster({ nodes: { ready: 1, desired: 5 } }, { metadata: { uid: 'uid-new' } }),
    });
    await screen.findByText('1 of 5 nodes ready');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('does not say that a cluster is not there before its deletion was looked for', async () => {
    api.list(CLUSTERS, []);
    api.refuse(RECORDS, 500, { reason: 'InternalError', message: 'It broke' });
    renderPage(clusterRoutes, '/clusters/team-a/demo');
    expect(await screen.findByText('It broke')).toBeVisible();
    expect(screen.queryByText('There is no such cluster')).toBeNull();
    api.list(RECORDS, []);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('There is no such cluster')).toBeVisible();
  });

  it('does not take what it knows of another deletion for that of a cluster', async () => {
    api.list(CLUSTERS, []);
    api.list(RECORDS, []);
    renderPage(framed, '/clusters/team-a/demo/overview');
    await screen.findByText('There is no such cluster');
    api.refuse(RECORDS, 404, { reason: 'NotFound', message: 'Not served yet' });
    await user.click(screen.getByRole('link', { name: 'To other' }));
    expect(await screen.findByText('Not served yet')).toBeVisible();
    expect(screen.queryByText('There is no such cluster')).toBeNull();
    await user.click(screen.getByRole('link', { name: 'To demo' }));
    await screen.findByRole('heading', { level: 1, name: 'demo' });
    expect(await screen.findByText('Not served yet')).toBeVisible();
    expect(screen.queryByText('There is no such cluster')).toBeNull();
  });

  it('looks again by itself for a deletion that could not be looked for', async () => {
    jest.useFakeTimers({ advanceTimers: true });
    api.list(CLUSTERS, []);
    api.refuse(RECORDS, 404, { reason: 'NotFound', message: 'Not served yet' });
    renderPage(clusterRoutes, '/clusters/team-a/demo');
    await screen.findByText('Not served yet');
    api.list(RECORDS, []);
    await act(() => jest.advanceTimersByTimeAsync(30_000));
    expect(await screen.findByText('There is no such cluster')).toBeVisible();
  });
});

/** The pages of a cluster below ways from one to another. */
function framed(parent: () => AnyRoute): AnyRoute[] {
  const frame = createRoute({ getParentRoute: parent, id: 'frame', component: Frame });
  return [frame.addChildren(clusterRoutes(() => frame as unknown as AnyRoute))];
}

/** Ways from cluster to cluster, as the palette has them. */
function Frame(): ReactElement {
  return (
    <>
      {['demo', 'other'].map((name) => (
        <Link key={name} to={`/clusters/team-a/${name}/overview` as never}>
          To {name}
        </Link>
      ))}
      <Outlet />
    </>
  );
}
