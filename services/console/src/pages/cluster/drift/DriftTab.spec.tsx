import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster, aCondition } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const DIGEST = '5e0c1f2a9b3d';

const changed = {
  address: 'aws_vpc.vpc',
  type: 'aws_vpc',
  id: 'vpc-0d2f',
  kind: 'changed',
  attributes: [
    { path: 'enable_dns_support', wanted: true, found: false },
    { path: 'secret', isSensitive: true },
  ],
};
const missing = { address: 'aws_instance.n', type: 'aws_instance', kind: 'missing', attributes: [] };

function report(resources: readonly object[] | undefined, more: object = {}): object {
  const drift = resources && { since: '2026-01-31T10:00:00Z', digest: DIGEST, resources, omitted: 0 };
  return {
    policy: 'hold',
    checkedAt: '2026-01-31T11:00:00Z',
    nextCheckAt: '2026-01-31T12:00:00Z',
    failures: 0,
    ...(drift ? { drift } : {}),
    ...more,
  };
}

const open = (): ReturnType<typeof renderPage> => renderPage(clusterRoutes, '/clusters/team-a/demo/drift');
const written = (): unknown =>
  JSON.parse(api.calls.find(({ call }) => call === `PATCH ${CLUSTERS}/demo`)?.body as string);

describe('the drift of a cluster', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    api.json(`${CLUSTERS}/demo`, aCluster(), { method: 'PATCH' });
    api.json(
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { status: { allowed: true } },
      { method: 'POST' },
    );
  });
  afterEach(() => api.remove());

  it('is none, and is looked for anew when somebody asks', async () => {
    api.json(`${CLUSTERS}/demo/drift`, report(undefined));
    const { container } = open();
    expect(await screen.findByText('The cloud is as it was applied')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Put everything back' })).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Compare now' }));
    await waitFor(() =>
      expect(written()).toHaveProperty(['metadata', 'annotations', 'lifecycle.crate.dev/check-drift']),
    );
  });

  it('is shown attribute by attribute, and decided about by what was seen', async () => {
    api.json(`${CLUSTERS}/demo/drift`, report([changed, missing]));
    const { container } = open();
    expect(await screen.findByText('2 cloud resources differ from what was applied')).toBeVisible();
    const row = within(screen.getByRole('grid', { name: 'Attributes of aws_vpc.vpc' })).getByRole('row', {
      name: /enable_dns_support/,
    });
    expect(
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ).toEqual(['enable_dns_support', 'true', 'false']);
    expect(screen.getAllByText('(masked)')).toHaveLength(2);
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Leave it as it is' }));
    const dialog = await screen.findByRole('dialog', { name: 'Leave it as it is?' });
    await user.click(within(dialog).getByRole('button', { name: 'Leave it as it is' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(written()).toEqual({ metadata: { annotations: { 'lifecycle.crate.dev/resolve-drift': `keep-${DIGEST}` } } });
  });

  it('keeps a decision that is being made when a look at it fails', async () => {
    api.json(`${CLUSTERS}/demo/drift`, report([changed]));
    open();
    await user.click(await screen.findByRole('button', { name: 'Leave it as it is' }));
    await screen.findByRole('dialog', { name: 'Leave it as it is?' });
    api.refuse(`${CLUSTERS}/demo/drift`, 500, { reason: 'InternalError', message: 'oh' });
    const looked = api.calls.length;
    const watch = await api.watchOf(CLUSTERS);
    const conditions = [aCondition('InSync', 'False', '12:30:00')];
    watch.send({ type: 'MODIFIED', object: aCluster({ conditions }, { metadata: { resourceVersion: '25' } }) });
    await waitFor(() =>
      expect(api.calls.slice(looked).map(({ call }) => call)).toContain(`GET ${CLUSTERS}/demo/drift`),
    );
    await act(async () => new Promise((resolve) => void setTimeout(resolve, 100)));
    expect(screen.getByRole('dialog', { name: 'Leave it as it is?' })).toBeVisible();
  });

  it('says why nothing new is known while a comparison is waited for', async () => {
    const annotations = { 'lifecycle.crate.dev/check-drift': '2026-01-31T11:30:00Z' };
    api.list(CLUSTERS, [aCluster({}, { metadata: { annotations } })]);
    api.json(`${CLUSTERS}/demo/drift`, report(undefined));
    const { container } = open();
    expect(await screen.findByText('Comparing with the cloud…')).toBeVisible();
    api.refuse(`${CLUSTERS}/demo/drift`, 500, { reason: 'InternalError', message: 'oh' });
    expect(await screen.findByText('oh')).toBeVisible();
    expect(screen.getByText('Comparing with the cloud…')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    api.json(`${CLUSTERS}/demo/drift`, report(undefined, { answered: '2026-01-31T11:30:00Z' }));
    expect(await screen.findByText('The cloud is as it was applied')).toBeVisible();
    expect(screen.queryByText('oh')).toBeNull();
  });

  it('cannot be kept where all of it is missing', async () => {
    api.json(`${CLUSTERS}/demo/drift`, report([missing]));
    open();
    const keep = await screen.findByRole('button', { name: 'Leave it as it is' });
    expect(keep).toHaveAttribute('aria-disabled', 'true');
    await user.click(keep);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('is not decided about twice: what was decided is said', async () => {
    const annotations = { 'lifecycle.crate.dev/resolve-drift': `correct-${DIGEST}` };
    api.list(CLUSTERS, [aCluster({}, { metadata: { annotations } })]);
    api.json(`${CLUSTERS}/demo/drift`, report([changed]));
    open();
    expect(await screen.findByText('Everything is being put back.')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Put everything back' })).toHaveAttribute('aria-disabled', 'true');
  });

  it('tells when comparisons fail, and why nothing is put back by itself', async () => {
    const failure = { code: 'CredentialsRejected', message: 'The key is no longer good' };
    const held = { code: 'ImpactTooHigh', message: 'It would replace a machine' };
    api.json(`${CLUSTERS}/demo/drift`, report([changed], { failures: 3, failure, held }));
    open();
    expect(await screen.findByText('The last 3 comparisons failed')).toBeVisible();
    expect(screen.getByText(/The key is no longer good/)).toBeVisible();
    expect(screen.getByText('It would replace a machine')).toBeVisible();
  });
});
