import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const VERSIONS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/stateversions';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const version = (serial: number, newest = false): object => ({
  metadata: { name: `demo.${serial}`, namespace: 'team-a', creationTimestamp: '2026-01-31T12:00:00Z' },
  spec: { infrastructureRef: { name: 'demo' }, serial, size: 1, newest, resources: serial * 10 },
});

describe('versions of the state', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list('/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters', [aCluster()]);
    api.list(VERSIONS, [version(1), version(2, true)]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    api.json(`${VERSIONS}/demo.1/restore`, {}, { method: 'POST' });
    api.json(`${VERSIONS}/demo.2/diff`, {
      counts: { added: 1, removed: 0, changed: 0 },
      resources: [{ address: 'aws_vpc.vpc', type: 'aws_vpc', name: 'vpc', action: 'added', changes: [] }],
      omittedChanges: 0,
    });
  });
  afterEach(() => api.remove());

  it('are compared, also by the URL', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/state?version=2');
    expect(await screen.findByText('1 added, 0 removed, 0 changed')).toBeVisible();
    expect(screen.getByText('aws_vpc.vpc')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are compared once more where that failed', async () => {
    api.json(`${VERSIONS}/demo.2/diff`, { kind: 'Status', code: 503, reason: 'ServiceUnavailable' }, { status: 503 });
    renderPage(clusterRoutes, '/clusters/team-a/demo/state?version=2');
    const retry = await screen.findByRole('button', { name: 'Try again' });
    api.json(`${VERSIONS}/demo.2/diff`, {
      counts: { added: 0, removed: 2, changed: 0 },
      resources: [],
      omittedChanges: 0,
    });
    await user.click(retry);
    expect(await screen.findByText('0 added, 2 removed, 0 changed')).toBeVisible();
  });

  it('come into sight with what changed in them, wherever in the list they were chosen', async () => {
    const moved = jest.spyOn(Element.prototype, 'scrollIntoView');
    renderPage(clusterRoutes, '/clusters/team-a/demo/state');
    const button = await screen.findByRole('button', { name: 'Changes of version 2' });
    moved.mockClear();
    await user.click(button);
    expect(await screen.findByLabelText('Compared with')).toBeVisible();
    expect(screen.getByText('Compared with')).toBeVisible();
    expect(moved).toHaveBeenCalled();
    moved.mockRestore();
  });

  it('are restored with a reason', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/state');
    await user.click(await screen.findByRole('button', { name: 'Restore version 1' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByRole('button', { name: 'Restore' })).toBeDisabled();
    await user.type(within(dialog).getByRole('textbox'), 'INC-7');
    await user.click(within(dialog).getByRole('button', { name: 'Restore' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const sent = api.calls.find(({ call }) => call === `POST ${VERSIONS}/demo.1/restore`);
    expect(JSON.parse(sent?.body as string)).toEqual({ reason: 'INC-7' });
    expect(screen.getByText('Version 1 is in place again, as the newest')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Follow it in the logs' })).toBeVisible();
  });

  it('are restored as what they are, whichever state the page went to meanwhile', async () => {
    const engine = VERSIONS.replace('cloud', 'cluster').replace('stateversions', 'enginestateversions');
    api.list(engine, []);
    renderPage(clusterRoutes, '/clusters/team-a/demo/state');
    await user.click(await screen.findByRole('button', { name: 'Restore version 1' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByRole('textbox'), 'INC-7');
    // As going back in the browser does.
    await user.click(screen.getByRole('button', { name: 'Engine' }));
    await screen.findByText("Versions of the engine's state");
    await user.click(within(dialog).getByRole('button', { name: 'Restore' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.calls.map(({ call }) => call)).toContain(`POST ${VERSIONS}/demo.1/restore`);
    expect(screen.getByText(/The next run compares it with the cloud/)).toBeVisible();
  });

  it('stay when they cannot be read anew, which is said', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/state');
    await screen.findByRole('button', { name: 'Restore version 1' });
    api.refuse(VERSIONS, 500, { reason: 'InternalError', message: 'oh' });
    const watch = await api.watchOf('/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters');
    const progress = { step: 2, steps: 3, message: 'Creating machines' };
    watch.send({ type: 'MODIFIED', object: aCluster({ progress }, { metadata: { resourceVersion: '25' } }) });
    expect(await screen.findByText('oh')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Restore version 1' })).toBeVisible();
  });

  it('are not restored by somebody who may not', async () => {
    api.json(REVIEWS, { status: { allowed: false } }, { method: 'POST' });
    renderPage(clusterRoutes, '/clusters/team-a/demo/state');
    const button = await screen.findByRole('button', { name: 'Restore version 1' });
    await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'true'));
    await user.click(button);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('of the engine are looked at and restored in the same way', async () => {
    const engine = '/apis/cluster.crate.dev/v1alpha1/namespaces/team-a/enginestateversions';
    const engineVersion = (serial: number, newest: boolean): object => ({
      metadata: { name: `demo.${serial}`, namespace: 'team-a', creationTimestamp: '2026-01-31T12:00:00Z' },
      spec: { clusterRef: { name: 'demo' }, serial, size: 1, newest, kubernetesVersion: 'v1.31.4', nodes: 5 },
    });
    api.list(engine, [engineVersion(1, false), engineVersion(2, true)]);
    api.json(`${engine}/demo.1/restore`, {}, { method: 'POST' });
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/state');
    await user.click(await screen.findByRole('button', { name: 'Engine' }));
    const table = await screen.findByRole('grid', { name: "Versions of the engine's state" });
    expect(within(table).getAllByText('v1.31.4, 5 machines')).toHaveLength(2);
    expect(await axeFindings(container)).toEqual([]);
    await user.click(await screen.findByRole('button', { name: 'Restore version 1' }));
    const dialog = await screen.findByRole('dialog');
    await user.type(within(dialog).getByRole('textbox'), 'INC-8');
    await user.click(within(dialog).getByRole('button', { name: 'Restore' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const sent = api.calls.find(({ call }) => call === `POST ${engine}/demo.1/restore`);
    expect(JSON.parse(sent?.body as string)).toEqual({ reason: 'INC-8' });
  });
});
