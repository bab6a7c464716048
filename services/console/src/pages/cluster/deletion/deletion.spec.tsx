import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster, aPhase } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const DEMO = `${CLUSTERS}/demo`;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const RECORDS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/deletionrecords';

/** Somebody who may do all in the Project but write objects of one kind. */
const mayAllBut = (resource: string): void =>
  api.reply(REVIEWS, (sent) => ({ status: { allowed: !sent.includes(`"resource":"${resource}"`) } }));

const openDialog = async (): Promise<HTMLElement> => {
  await user.click(await screen.findByRole('button', { name: 'Actions' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
  return screen.findByRole('dialog', { name: /Delete the cluster demo/ });
};

describe('the deletion of a cluster', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list('/api/v1/namespaces/team-a/events', []);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    api.json(DEMO, {}, { method: 'DELETE' });
    api.json(DEMO, {}, { method: 'PATCH' });
  });
  afterEach(() => api.remove());

  it('is asked for only once its name was typed', async () => {
    api.list(CLUSTERS, [aCluster()]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    const dialog = await openDialog();
    const submit = within(dialog).getByRole('button', { name: 'Delete the cluster' });
    expect(submit).toBeDisabled();
    await user.type(within(dialog).getByLabelText('Type demo to confirm'), 'dem');
    expect(submit).toBeDisabled();
    await user.type(within(dialog).getByLabelText('Type demo to confirm'), 'o');
    expect(await axeFindings(dialog)).toEqual([]);
    await user.click(submit);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const [sent] = api.calls.filter(({ call }) => call === `DELETE ${DEMO}`);
    expect(JSON.parse(String(sent?.body))).toMatchObject({ preconditions: { uid: 'uid-demo' } });
  });

  it('that nobody asks for after all gives the focus back to the menu that led to it', async () => {
    api.list(CLUSTERS, [aCluster()]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    await openDialog();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(screen.getByRole('button', { name: 'Actions' })).toHaveFocus());
  });

  it('of a protected cluster needs the word of an administrator, given before it', async () => {
    api.list(CLUSTERS, [aCluster({}, { spec: { deletionProtection: true } })]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    const dialog = await openDialog();
    await user.type(within(dialog).getByLabelText('Type demo to confirm'), 'demo');
    expect(within(dialog).getByRole('button', { name: 'Delete the cluster' })).toBeDisabled();
    await user.click(within(dialog).getByRole('checkbox'));
    await user.click(within(dialog).getByRole('button', { name: 'Delete the cluster' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const writes = api.calls.filter(({ call }) => call.endsWith(DEMO));
    expect(writes.map(({ call }) => call.split(' ')[0])).toEqual(['PATCH', 'DELETE']);
    expect(JSON.parse(String(writes[0]?.body))).toEqual({
      metadata: { annotations: { 'lifecycle.crate.dev/confirm-deletion': 'demo' } },
    });
  });

  describe('of a protected cluster', () => {
    const HOUR_AGO = 61 * 60_000;
    const approvedBy = (by: string, agoMs = 60_000): unknown =>
      aCluster(
        {},
        {
          spec: { deletionProtection: true },
          metadata: {
            annotations: {
              'lifecycle.crate.dev/approve-deletion': by,
              'lifecycle.crate.dev/deletion-approved': `${new Date(Date.now() - agoMs).toISOString()} ${by}`,
            },
          },
        },
      );
    const TITLE = 'This protected cluster may be deleted now';

    it('is approved by a second person, who types which cluster', async () => {
      api.list(CLUSTERS, [aCluster({}, { spec: { deletionProtection: true } })]);
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      await user.click(await screen.findByRole('button', { name: 'Actions' }));
      await user.click(await screen.findByRole('menuitem', { name: /Approve its deletion/ }));
      const dialog = await screen.findByRole('dialog', { name: /Approve the deletion of demo/ });
      const submit = within(dialog).getByRole('button', { name: 'Approve the deletion' });
      expect(submit).toBeDisabled();
      await user.type(within(dialog).getByLabelText('Type demo to confirm'), 'demo');
      expect(await axeFindings(dialog)).toEqual([]);
      await user.click(submit);
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      const writes = api.calls.filter(({ call }) => call === `PATCH ${DEMO}`).map(({ body }) => String(body));
      expect(writes.at(-1)).toBe('{"metadata":{"annotations":{"lifecycle.crate.dev/approve-deletion":"ada"}}}');
    });

    it('says by whom it was approved, on the page and where it is deleted, until it is withdrawn', async () => {
      api.list(CLUSTERS, [approvedBy('anna')]);
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      const alert = await screen.findByRole('region', { name: TITLE });
      expect(within(alert).getByText(/^anna approved its deletion; that counts until /)).toBeVisible();
      const dialog = await openDialog();
      expect(within(dialog).getByText(/^anna approved its deletion/)).toBeVisible();
      expect(within(dialog).queryByRole('checkbox')).toBeNull();
      await user.type(within(dialog).getByLabelText('Type demo to confirm'), 'demo');
      expect(within(dialog).getByRole('button', { name: 'Delete the cluster' })).toBeEnabled();
      await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
      await user.click(within(alert).getByRole('button', { name: 'Withdraw it' }));
      const sent = (): unknown => api.calls.find(({ call }) => call === `PATCH ${DEMO}`)?.body;
      await waitFor(() => expect(sent()).toContain('"lifecycle.crate.dev/approve-deletion":null'));
    });

    it('is not approved by who deletes it, nor for longer than an hour', async () => {
      api.list(CLUSTERS, [approvedBy('ada')]);
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      expect(await screen.findByText(/^You approved its deletion; .* by another person\.$/)).toBeVisible();
      const dialog = await openDialog();
      expect(within(dialog).getByText('This cluster is protected from deletion')).toBeVisible();
      const watch = await api.watchOf(CLUSTERS);
      watch.send({ type: 'MODIFIED', object: approvedBy('anna', HOUR_AGO) });
      await waitFor(() => expect(screen.queryByRole('region', { name: TITLE })).toBeNull());
      expect(within(dialog).getByText('This cluster is protected from deletion')).toBeVisible();
    });

    it('is not confirmed by somebody who does not administer the Project', async () => {
      api.list(CLUSTERS, [aCluster({}, { spec: { deletionProtection: true } })]);
      mayAllBut('projects');
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      const dialog = await openDialog();
      await waitFor(() => expect(within(dialog).queryByRole('checkbox')).toBeNull());
      expect(within(dialog).getByText(/You are no administrator of the Project/)).toBeVisible();
      await user.type(within(dialog).getByLabelText('Type demo to confirm'), 'demo');
      expect(within(dialog).getByRole('button', { name: 'Delete the cluster' })).toBeDisabled();
    });
  });

  it('says why it was refused, and stays', async () => {
    api.list(CLUSTERS, [aCluster()]);
    const message = 'clusters "demo" is protected from deletion';
    api.refuse(DEMO, 403, { reason: 'DeletionProtected', message }, 'DELETE');
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    const dialog = await openDialog();
    await user.type(within(dialog).getByLabelText('Type demo to confirm'), 'demo');
    await user.click(within(dialog).getByRole('button', { name: 'Delete the cluster' }));
    expect(await within(dialog).findByText(message)).toBeVisible();
  });

  it('is not offered to somebody who may not', async () => {
    api.list(CLUSTERS, [aCluster()]);
    api.json(REVIEWS, { status: { allowed: false } }, { method: 'POST' });
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    await user.click(await screen.findByRole('button', { name: 'Actions' }));
    const item = await screen.findByRole('menuitem', { name: /Delete…/ });
    await waitFor(() => expect(item).toHaveAttribute('aria-disabled', 'true'));
    expect(within(item).getByText('It needs a higher role in the Project')).toBeVisible();
  });

  describe('that waits', () => {
    const volume = { kind: 'aws_ebs_volume', name: 'vol-1', reason: 'VolumeUndecided', message: 'Nobody could ask' };
    const waiting = (blocker: object, annotations = {}): unknown =>
      aCluster(
        {
          deletion: {
            requestedAt: '2026-01-31T15:00:00Z',
            blockers: [{ since: '2026-01-31T15:04:00Z', remedy: 'Name it in an annotation', ...blocker }] as never,
          },
        },
        { metadata: { deletionTimestamp: '2026-01-31T15:00:00Z', annotations } },
      );
    const patches = (): string[] =>
      api.calls.filter(({ call }) => call === `PATCH ${DEMO}`).map(({ body }) => String(body));

    it('for a word about a volume removes none before it was asked once more', async () => {
      const demo = waiting(volume, { 'lifecycle.crate.dev/remove-volumes': 'vol-0' });
      api.list(CLUSTERS, [demo]);
      api.json(DEMO, demo);
      const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      await user.click(await screen.findByRole('button', { name: 'Remove vol-1' }));
      expect(screen.queryByText('Name it in an annotation')).toBeNull();
      expect(patches()).toEqual([]);
      const dialog = await screen.findByRole('dialog', { name: /Remove the volume vol-1/ });
      await user.click(within(dialog).getByRole('button', { name: 'Remove the volume' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      expect(patches()).toEqual([
        expect.stringContaining('"annotations":{"lifecycle.crate.dev/remove-volumes":"vol-0,vol-1"}'),
      ]);
      expect(await axeFindings(container)).toEqual([]);
    });

    it('for a word about a volume says what was decided, of those that are done, too', async () => {
      api.list(CLUSTERS, [waiting(volume, { 'lifecycle.crate.dev/keep-volumes': 'vol-0,vol-1' })]);
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      expect(await screen.findByText('Volumes that are kept: vol-0, vol-1')).toBeVisible();
      expect(screen.getByText('Somebody decided: it is kept.')).toBeVisible();
      expect(screen.queryByRole('button', { name: 'Keep vol-1' })).toBeNull();
    });

    it('is forced by an administrator, who sees what is given up', async () => {
      api.list(CLUSTERS, [waiting({ ...volume, kind: 'aws_vpc', name: 'vpc-1', reason: 'StillInUse' })]);
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      await user.click(await screen.findByRole('button', { name: /Give up what is in the way/ }));
      const dialog = await screen.findByRole('dialog');
      expect(within(dialog).getByRole('listitem')).toHaveTextContent('aws_vpc vpc-1');
      await user.type(within(dialog).getByRole('textbox'), 'INC-7');
      await user.click(within(dialog).getByRole('button', { name: 'Give it up' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      expect(patches()).toEqual(['{"metadata":{"annotations":{"lifecycle.crate.dev/force-deletion":"INC-7"}}}']);
    });

    it('says that it was forced before what is in the way, which nobody has to put out of it any more', async () => {
      const leaving = waiting(volume) as { status: { deletion: object } };
      const forced = { by: 'anna', reason: 'INC-7', at: '2026-01-31T15:05:00Z' };
      Object.assign(leaving.status.deletion, { forced });
      api.list(CLUSTERS, [leaving]);
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      const told = await screen.findByText(/^Everything is tried once more/);
      const blockers = screen.getByRole('grid', { name: 'What is in the way' });
      expect(told.compareDocumentPosition(blockers)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
      expect(screen.queryByRole('button', { name: /Give up what is in the way/ })).toBeNull();
    });

    it('is forced by nobody else', async () => {
      api.list(CLUSTERS, [waiting(volume)]);
      mayAllBut('projects');
      renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
      const button = await screen.findByRole('button', { name: /Give up what is in the way/ });
      await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'true'));
      await user.click(button);
      expect(screen.queryByRole('dialog')).toBeNull();
    });
  });

  it('counts down what is in the way, and ends on the proof', async () => {
    const blocker = (name: string): object => ({
      kind: 'aws_network_interface',
      name,
      reason: 'ForeignResource',
      message: 'It is in the network and not of this cluster',
      since: '2026-01-31T15:04:00Z',
      remedy: 'Remove it in the account',
    });
    const leaving = (...names: string[]): unknown =>
      aCluster(
        {
          phases: [aPhase('Remove infrastructure', 'Running')],
          deletion: { requestedAt: '2026-01-31T15:00:00Z', blockers: names.map(blocker) as never },
        },
        { metadata: { deletionTimestamp: '2026-01-31T15:00:00Z' } },
      );
    api.list(CLUSTERS, [leaving('eni-1', 'eni-2')]);
    api.list(RECORDS, [
      {
        metadata: { name: 'demo-1', namespace: 'team-a' },
        spec: {
          cluster: { name: 'demo', uid: 'uid-demo' },
          account: { name: 'main', id: '123456789012' },
          region: 'us-east-1',
          requestedAt: '2026-01-31T15:00:00Z',
          deletedAt: '2026-01-31T15:07:30Z',
          proof: { tag: 'crate.dev/uid=1', inventoryEmptyAt: '2026-01-31T15:07:30Z', abandoned: [] },
        },
      },
    ]);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    expect(await screen.findByText('2 things are in the way.')).toBeVisible();
    expect(screen.getByText('eni-2')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: leaving('eni-1') });
    expect(await screen.findByText('1 thing is in the way.')).toBeVisible();
    watch.send({ type: 'MODIFIED', object: leaving() });
    expect(await screen.findByText('Nothing is in the way. Work is under way.')).toBeVisible();
    watch.send({ type: 'DELETED', object: leaving() });
    expect(await screen.findByText('Nothing of it is left in the account')).toBeVisible();
    expect(screen.getByText('crate.dev/uid=1')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('that left something behind says what became of it, and what was kept on purpose', async () => {
    const record = (abandoned: readonly object[], keptVolumes: readonly string[], status = {}): object => ({
      metadata: { name: 'demo-1', namespace: 'team-a' },
      spec: {
        cluster: { name: 'demo', uid: 'uid-demo' },
        account: { name: 'main' },
        region: 'us-east-1',
        requestedAt: '2026-01-31T15:00:00Z',
        deletedAt: '2026-01-31T15:07:30Z',
        proof: { tag: 'crate.dev/uid=1', abandoned, keptVolumes },
      },
      status,
    });
    const vpcs = ['vpc-1', 'vpc-2'].map((name) => ({ kind: 'aws_vpc', name }));
    const watched = [
      { ...vpcs[0], state: 'Present' },
      { ...vpcs[1], state: 'Gone', goneAt: '2026-01-31T16:00:00Z' },
    ];
    api.list(CLUSTERS, []);
    api.list(RECORDS, [record(vpcs, [], { watched, present: 1 })]);
    const { unmount } = renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    expect(await screen.findByText('1 thing is still in the account')).toBeVisible();
    expect(await screen.findByRole('link', { name: 'To the fleet' })).toBeVisible();
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^aws_vpc vpc-1 – still there/),
      expect.stringMatching(/^aws_vpc vpc-2 – gone since \d+ d/),
    ]);
    unmount();
    api.list(RECORDS, [record([], ['vol-1'], { present: 0 })]);
    const kept = renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    expect(await screen.findByText(/^Nothing of it is left in the account but 1 volume/)).toBeVisible();
    kept.unmount();
    api.list(RECORDS, [record([], [])]);
    renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
    expect(await screen.findByText('Nobody could look whether something of it is left in the account')).toBeVisible();
  });
});
