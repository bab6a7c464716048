import { APPROVED_BY_ANNOTATION } from '@crate/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster, aCondition } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a';
const CLUSTERS = `${LIFECYCLE}/clusters`;
const CLUSTER = `${CLUSTERS}/demo`;
const PLANS = `${LIFECYCLE}/plans`;

const aPlan = (phase: string, status: object = {}): object => ({
  metadata: {
    name: 'grow',
    namespace: 'team-a',
    uid: 'uid-grow',
    resourceVersion: '7',
    creationTimestamp: '2026-01-31T12:00:00Z',
  },
  spec: { clusterRef: { name: 'demo' }, changes: { nodePools: [{ name: 'workers', replicas: 3 }] }, ttl: '1h' },
  status: {
    conditions: [aCondition('Ready', phase === 'Ready' ? 'True' : 'False', '12:00:05', { reason: phase })],
    plannedBy: 'ada',
    expiresAt: '2026-01-31T13:00:00Z',
    consequences: {
      impact: 'restart',
      fields: [{ field: 'spec.nodePools[name=workers].replicas', impact: 'none', before: 2, after: 3 }],
      terraform: {
        counts: { create: 1, update: 1, replace: 0, destroy: 0, import: 0, forget: 0 },
        resources: [
          { address: 'aws_instance.demo-workers-2', type: 'aws_instance', name: 'x', action: 'create', changes: [] },
          {
            address: 'aws_instance.demo-workers-0',
            type: 'aws_instance',
            name: 'y',
            action: 'update',
            changes: [
              { path: 'instance_type', before: 'm5.xlarge', after: 'm5.2xlarge' },
              { path: 'user_data', isSensitive: true },
              { path: 'public_ip', isUnknown: true },
            ],
          },
        ],
        omittedChanges: 0,
      },
      nodes: [{ name: 'demo-workers-2', change: 'join' }],
      addOns: [],
      policy: { plan: { allowed: true, violations: [] } },
      quota: [{ name: 'nodes', before: 5, after: 6, limit: 10 }],
      cost: {
        currency: 'USD',
        before: 660.28,
        after: 804.44,
        difference: 144.16,
        unknown: [],
        text: '+144.16 USD/month',
        pricesOf: '2026-01-01',
        source: '',
      },
    },
    ...status,
  },
});

/** The same of a plan that states the whole spec, as the YAML tab makes it. */
const aPlanOfAll = (phase: string, status: object): object => ({
  ...aPlan(phase, status),
  spec: { clusterRef: { name: 'demo' }, wanted: aCluster().spec, ttl: '1h' },
});

describe('plans of a cluster', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    api.json(
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { status: { allowed: true } },
      { method: 'POST' },
    );
    api.json(`${PLANS}/grow/approve`, {}, { method: 'POST' });
  });
  afterEach(() => api.remove());

  it('are listed with what they lead to, beside the newest run', async () => {
    api.list(PLANS, [aPlan('Ready')]);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/plan');
    expect(await screen.findByRole('button', { name: 'grow' })).toBeVisible();
    expect(screen.getByText('1 to create, 1 to update')).toBeVisible();
    expect(await screen.findByText('Terraform did not run yet.')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('stand beside the newest run as it was read, under why it may be old, when it cannot be read anew', async () => {
    api.list(PLANS, []);
    api.json(`${CLUSTER}/plan`, {
      outcome: 'Applied',
      counts: { create: 7, update: 0, replace: 0, destroy: 0, import: 0, forget: 0 },
      run: { purpose: 'apply', startedAt: '2026-01-31T12:00:00Z' },
      isCurrent: true,
      resources: [],
      omittedChanges: 0,
    });
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan');
    expect(await screen.findByText(/7 to create/)).toBeVisible();
    api.refuse(`${CLUSTER}/plan`, 403, { reason: 'Forbidden', message: 'not for you' });
    const watch = await api.watchOf(CLUSTERS);
    const progress = { step: 2, steps: 4, message: 'Goes on' };
    watch.send({ type: 'MODIFIED', object: aCluster({ progress }, { metadata: { resourceVersion: '25' } }) });
    expect(await screen.findByText('not for you')).toBeVisible();
    expect(screen.getByText(/7 to create/)).toBeVisible();
  });

  it('show resource by resource what they do, and are approved', async () => {
    api.list(PLANS, [aPlan('Ready')]);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    const resource = await screen.findByRole('button', { name: /aws_instance.demo-workers-0/ });
    // A new cluster is thousands of attributes, of which somebody reads a few.
    expect(screen.queryByText('m5.2xlarge')).toBeNull();
    await user.click(resource);
    expect(screen.getByText('m5.2xlarge')).toBeVisible();
    expect(screen.getAllByText('(masked)')).toHaveLength(2);
    expect(screen.getByText('(known once it is applied)')).toBeVisible();
    expect(screen.getByText('nodes: 5 → 6 of 10')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Approve, and carry it out' }));
    const approval = (): unknown => api.calls.find(({ call }) => call === `POST ${PLANS}/grow/approve`);
    await waitFor(() => expect(approval()).toMatchObject({ body: JSON.stringify({ uid: 'uid-grow' }) }));
  });

  it('are rejected only once somebody said so again', async () => {
    api.list(PLANS, [aPlan('Ready')]);
    api.json(`${PLANS}/grow`, {}, { method: 'DELETE' });
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    const rejections = (): readonly unknown[] => api.calls.filter(({ call }) => call === `DELETE ${PLANS}/grow`);
    await user.click(await screen.findByRole('button', { name: 'Reject…' }));
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await user.click(screen.getByRole('button', { name: 'Reject…' }));
    const dialog = await screen.findByRole('dialog', { name: /Reject the plan grow\?/ });
    expect(within(dialog).getByText(/The cluster demo stays as it is/)).toBeVisible();
    expect(await axeFindings(dialog)).toEqual([]);
    expect(rejections()).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Reject the plan' }));
    await waitFor(() => expect(rejections()).toHaveLength(1));
    const [sent] = rejections() as readonly { readonly body: string }[];
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ preconditions: { uid: 'uid-grow', resourceVersion: '7' } });
    expect(await screen.findByRole('heading', { name: 'Plans' })).toBeVisible();
  });

  it('are not rejected any more once somebody approved them, be it while the question is open', async () => {
    const plan = aPlan('Ready') as { readonly metadata: object };
    const annotations = { [APPROVED_BY_ANNOTATION]: '2026-01-31T12:01:00Z bob' };
    const approved = { ...plan, metadata: { ...plan.metadata, resourceVersion: '8', annotations } };
    api.list(PLANS, [plan]);
    api.json(`${PLANS}/grow`, {}, { method: 'DELETE' });
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    await user.click(await screen.findByRole('button', { name: 'Reject…' }));
    const dialog = await screen.findByRole('dialog', { name: /Reject the plan grow\?/ });
    (await api.watchOf(PLANS)).send({ type: 'MODIFIED', object: approved });
    const hidden = { hidden: true };
    const offered = (name: string): unknown => screen.queryByRole('button', { name, ...hidden });
    await waitFor(() => expect(offered('Approve, and carry it out')).toBeNull());
    expect(offered('Reject…')).toBeNull();
    await user.click(within(dialog).getByRole('button', { name: 'Reject the plan' }));
    const sent = (): unknown => api.calls.find(({ call }) => call === `DELETE ${PLANS}/grow`);
    await waitFor(() => expect(sent()).toMatchObject({ body: expect.stringContaining('"resourceVersion":"7"') }));
  });

  it('say so before anybody approves them when the cluster has changed since', async () => {
    api.list(CLUSTERS, [aCluster({}, { metadata: { generation: 6 } })]);
    api.list(PLANS, [aPlan('Ready', { basis: { generation: 5 } })]);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    expect(await screen.findByText('The cluster has changed since this was planned')).toBeVisible();
    expect(await screen.findByRole('button', { name: 'Plan it again' })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are shown once they are made, before the list tells of them', async () => {
    const made = aPlan('Pending') as { readonly metadata: object };
    const deletion = { ...made, metadata: { ...made.metadata, name: 'demo-x7', uid: 'uid-x7' } };
    api.list(PLANS, []);
    api.json(PLANS, deletion, { method: 'POST' });
    api.json(`${PLANS}/demo-x7`, deletion);
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan');
    await user.click(await screen.findByRole('button', { name: 'Plan its deletion' }));
    expect(await screen.findByRole('heading', { name: /demo-x7/ })).toBeVisible();
  });

  it('say so when they are gone, and not before that is known', async () => {
    api.list(PLANS, []);
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    expect(await screen.findByText('There is no plan grow any more.')).toBeVisible();
    expect(api.calls.map(({ call }) => call)).toContain(`GET ${PLANS}/grow`);
  });

  it('explain that the world has moved, and are made again', async () => {
    const end = { phase: 'Refused', reason: 'WorldMoved', message: 'The cluster was changed', at: '' };
    api.list(PLANS, [aPlan('Refused', { end })]);
    api.json(PLANS, aPlan('Pending'), { method: 'POST' });
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    expect(await screen.findByText('The world has moved since this was planned')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Approve, and carry it out' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Plan it again' }));
    await waitFor(() => expect(api.calls.map(({ call }) => call)).toContain(`POST ${PLANS}`));
    const made = api.calls.find(({ call }) => call === `POST ${PLANS}`);
    expect(JSON.parse(made?.body as string)).toMatchObject({
      spec: { clusterRef: { name: 'demo' }, changes: { nodePools: [{ name: 'workers', replicas: 3 }] } },
    });
  });

  it.each([
    { name: 'that can be approved', phase: 'Ready', basis: { clusterUid: 'uid-demo', generation: 5 } },
    { name: 'that failed', phase: 'Failed', basis: { clusterUid: 'uid-demo', generation: 5 } },
    { name: 'that nobody approved', phase: 'Expired', basis: { clusterUid: 'uid-demo', generation: 5 } },
    { name: 'of another cluster of its name', phase: 'Ready', basis: { clusterUid: 'uid-old', generation: 6 } },
    { name: 'of which nobody knows for what it was made', phase: 'Refused', basis: undefined },
    {
      name: 'that was to be carried out, and was not: another change came first',
      phase: 'Failed',
      basis: { clusterUid: 'uid-demo', generation: 5 },
      execution: { generation: 6 },
    },
  ])('of a whole spec are not made again over what others changed: one $name', async ({ phase, ...status }) => {
    api.list(CLUSTERS, [aCluster({}, { metadata: { generation: 6 } })]);
    api.list(PLANS, [aPlanOfAll(phase, status)]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    const again = await screen.findByRole('button', { name: 'Plan it again' });
    expect(again).toHaveAttribute('aria-disabled', 'true');
    await user.hover(again);
    expect((await screen.findAllByText(/tab YAML/))[0]).toBeInTheDocument();
    await user.click(again);
    expect(api.calls.map(({ call }) => call)).not.toContain(`POST ${PLANS}`);
  });

  it('of a whole spec are not made again over what the page had not heard of', async () => {
    api.list(PLANS, [aPlanOfAll('Expired', { basis: { clusterUid: 'uid-demo', generation: 1 } })]);
    api.json(CLUSTER, aCluster({}, { metadata: { generation: 2 } }));
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    await user.click(await screen.findByRole('button', { name: 'Plan it again' }));
    expect(await screen.findByText(/tab YAML/)).toBeInTheDocument();
    expect(api.calls.map(({ call }) => call)).not.toContain(`POST ${PLANS}`);
  });

  it.each([
    { name: 'as it was', generation: 5, execution: undefined },
    { name: 'as the plan itself has made it', generation: 6, execution: { wasGiven: true, generation: 6 } },
    {
      name: 'as it was given back since',
      generation: 7,
      execution: { wasGiven: true, generation: 6, previous: aCluster({}).spec },
    },
    { name: 'made by the plan', generation: 1, execution: { wasGiven: true, generation: 1 }, basis: {} },
  ])('of a whole spec are made again while the cluster is $name', async ({ generation, execution, basis }) => {
    const cluster = aCluster({}, { metadata: { generation } });
    api.list(CLUSTERS, [cluster]);
    api.json(CLUSTER, cluster);
    api.list(PLANS, [aPlanOfAll('Failed', { basis: basis ?? { clusterUid: 'uid-demo', generation: 5 }, execution })]);
    api.json(PLANS, aPlan('Pending'), { method: 'POST' });
    renderPage(clusterRoutes, '/clusters/team-a/demo/plan?plan=grow');
    await user.click(await screen.findByRole('button', { name: 'Plan it again' }));
    await waitFor(() => expect(api.calls.map(({ call }) => call)).toContain(`POST ${PLANS}`));
  });
});
