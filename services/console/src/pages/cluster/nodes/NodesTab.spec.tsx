import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';
import { poolsOf } from './pools.js';

const api = new PlayedApi();
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

describe('node pools', () => {
  const asked: { query: string; body: unknown }[] = [];
  beforeEach(() => {
    forgetLiveLists();
    asked.length = 0;
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    const played = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      if (init?.method !== 'PATCH') return played(input, init);
      const url = new URL(input as string, 'https://crate');
      asked.push({ query: url.search, body: JSON.parse(init.body as string) });
      return Promise.resolve(
        Response.json(aCluster(), { headers: { warning: '299 - "nodes that join: demo-workers-2"' } }),
      );
    };
  });
  afterEach(() => api.remove());

  /** Patches are asked for, and answered when the test says so. */
  function holdAnswers(): () => void {
    const { fetch } = globalThis;
    let answer = (): void => undefined;
    const said = new Promise<void>((resolve) => (answer = resolve));
    globalThis.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === 'PATCH') await said;
      return response;
    };
    return () => answer();
  }

  it('tell what is asked for and what is ready; of the control plane too', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/nodes');
    const table = await screen.findByRole('grid', { name: 'Machines' });
    expect(within(table).getByRole('row', { name: /Control plane m5.large, 50 GiB 3 3 of 3/ })).toBeVisible();
    expect(within(table).getByRole('row', { name: /workers m5.xlarge, 50 GiB 2 2 of 2/ })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are scaled after what it leads to was shown, and only from the number that was shown', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/nodes');
    await user.click(await screen.findByRole('button', { name: 'Scale workers' }));
    const dialog = await screen.findByRole('dialog', { name: 'Scale the pool workers' });
    expect(within(dialog).getByRole('button', { name: 'Scale' })).toBeDisabled();
    await user.click(within(dialog).getByRole('button', { name: 'One more' }));
    expect(await within(dialog).findByText('nodes that join: demo-workers-2')).toBeVisible();
    expect(asked.map(({ query }) => query)).toEqual([expect.stringContaining('dryRun=All')]);
    expect(await axeFindings(dialog)).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Scale' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked[1]).toEqual({
      query: expect.not.stringContaining('dryRun'),
      body: [
        { op: 'test', path: '/spec/nodePools/0/name', value: 'workers' },
        { op: 'test', path: '/spec/nodePools/0/replicas', value: 2 },
        { op: 'replace', path: '/spec/nodePools/0/replicas', value: 3 },
      ],
    });
  });

  it('are not scaled by Enter before it was shown what that leads to', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/nodes');
    await user.click(await screen.findByRole('button', { name: 'Scale workers' }));
    const dialog = await screen.findByRole('dialog', { name: 'Scale the pool workers' });
    const answer = holdAnswers();
    await user.clear(within(dialog).getByRole('spinbutton', { name: 'Machines' }));
    await user.keyboard('0{Enter}');
    await waitFor(() => expect(asked).toHaveLength(1));
    await act(async () => answer());
    await waitFor(() => expect(within(dialog).getByRole('button', { name: 'Scale' })).toBeEnabled());
    expect(asked.map(({ query }) => query)).toEqual([expect.stringContaining('dryRun=All')]);
  });

  it('are not scaled to nothing by a field that is empty between two numbers', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/nodes');
    await user.click(await screen.findByRole('button', { name: 'Scale workers' }));
    const dialog = await screen.findByRole('dialog', { name: 'Scale the pool workers' });
    const field = within(dialog).getByRole('spinbutton', { name: 'Machines' });
    const scale = within(dialog).getByRole('button', { name: 'Scale' });
    await user.clear(field);
    expect(field).toHaveValue(null);
    expect(scale).toBeDisabled();
    expect(within(dialog).queryByText('What this leads to')).toBeNull();
    await user.type(field, '5');
    expect(field).toHaveValue(5);
    await waitFor(() => expect(scale).toBeEnabled());
    await user.clear(field);
    await user.click(scale);
    expect(field).toHaveValue(2);
    expect(scale).toBeDisabled();
    expect(asked.filter(({ query }) => !query.includes('dryRun'))).toEqual([]);
    await user.clear(field);
    await user.click(within(dialog).getByRole('button', { name: 'One more' }));
    expect(field).toHaveValue(3);
  });

  it('tell how many are asked for as soon as they are: what is there comes after', async () => {
    const [pool] = aCluster().spec.nodePools;
    const spec = { nodePools: [{ ...pool, replicas: 4 } as typeof pool & object] };
    api.list(CLUSTERS, [aCluster({}, { spec })]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/nodes');
    const table = await screen.findByRole('grid', { name: 'Machines' });
    expect(within(table).getByRole('row', { name: /workers m5.xlarge, 50 GiB 4 2 of 4/ })).toBeVisible();
    expect(screen.getByText('5 of 7 nodes ready')).toBeVisible();
  });

  it('say what of a pool is not known yet', () => {
    const [controlPlane, workers] = poolsOf(aCluster({ nodes: undefined, nodePools: undefined }));
    expect(controlPlane?.ready).toBeUndefined();
    expect(workers).toMatchObject({ name: 'workers', replicas: 2, index: 0 });
    expect(workers?.ready).toBeUndefined();
  });

  it('are not told where others keep them', () => {
    const { spec, ...cluster } = aCluster();
    const { controlPlane: _made, ...others } = spec;
    const existing = { ...others, kubernetes: { engine: 'existing' as const }, nodePools: [] };
    expect(poolsOf({ ...cluster, spec: existing })).toEqual([]);
  });
});
