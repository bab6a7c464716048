import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

describe('a cluster as YAML', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
  });
  afterEach(() => api.remove());

  it('is tried and applied only once something is changed', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const show = await screen.findByRole('button', { name: 'Show what changes' });
    expect(show).toHaveAttribute('aria-disabled', 'true');
    expect(screen.getByRole('button', { name: 'Apply' })).toHaveAttribute('aria-disabled', 'true');
    await user.click(show);
    expect(api.calls.some(({ call }) => call.startsWith('PUT'))).toBe(false);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says at once when somebody else changed it, and takes their version', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    await screen.findByRole('button', { name: 'Show what changes' });
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: aCluster({}, { metadata: { generation: 2, resourceVersion: '25' } }) });
    const alert = (await screen.findByText('Somebody changed this cluster meanwhile')).closest('.pf-v6-c-alert');
    await user.click(within(alert as HTMLElement).getByRole('button', { name: 'Discard my changes' }));
    await waitFor(() => expect(screen.queryByText('Somebody changed this cluster meanwhile')).toBeNull());
  });
});
