import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a';
const CLUSTERS = `${LIFECYCLE}/clusters`;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const WARNING = 'impact roll: nodes are drained and made anew';

const openMenu = async (): Promise<HTMLElement> => {
  renderPage(clusterRoutes, '/clusters/team-a/demo/overview');
  await user.click(await screen.findByRole('button', { name: 'Actions' }));
  return screen.findByRole('menuitem', { name: /^Upgrade…/ });
};

const openDialog = async (): Promise<HTMLElement> => {
  await user.click(await openMenu());
  return screen.findByRole('dialog', { name: 'Upgrade Kubernetes of demo' });
};

describe('an upgrade of Kubernetes', () => {
  const asked: { readonly isDry: boolean; readonly body: unknown }[] = [];
  let refuses: boolean;
  beforeEach(() => {
    forgetLiveLists();
    asked.length = 0;
    refuses = false;
    api.install();
    api.list('/api/v1/namespaces/team-a/events', []);
    api.list(`${LIFECYCLE}/plans`, []);
    api.list(CLUSTERS, [aCluster()]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    const played = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      if (init?.method !== 'PATCH') return played(input, init);
      const url = new URL(input as string, 'https://crate');
      asked.push({ isDry: url.searchParams.get('dryRun') === 'All', body: JSON.parse(init.body as string) });
      const refusal = { kind: 'Status', code: 422, reason: 'Invalid', message: 'cluster-upgrade-one-minor objects' };
      if (refuses) return Promise.resolve(Response.json(refusal, { status: 422 }));
      return Promise.resolve(Response.json(aCluster(), { headers: { warning: `299 - "${WARNING}"` } }));
    };
  });
  afterEach(() => api.remove());

  it('offers what Kubernetes allows, shows what it leads to, and is done only from the version that was shown', async () => {
    const dialog = await openDialog();
    const versions = within(dialog).getAllByRole('option');
    expect(versions.map(({ textContent }) => textContent)).toEqual(['v1.32.4', 'v1.31.8']);
    expect(await within(dialog).findByText(WARNING)).toBeVisible();
    await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Version' }), 'v1.31.8');
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(asked.map(({ isDry }) => isDry)).toEqual([true, true]);
    expect(await axeFindings(dialog)).toEqual([]);
    const submit = within(dialog).getByRole('button', { name: 'Upgrade to v1.31.8' });
    await waitFor(() => expect(submit).toBeEnabled());
    await user.click(submit);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked[2]).toEqual({
      isDry: false,
      body: [
        { op: 'test', path: '/spec/kubernetes/version', value: 'v1.31.4' },
        { op: 'replace', path: '/spec/kubernetes/version', value: 'v1.31.8' },
      ],
    });
  });

  it('is not done where the server refuses it, and says why', async () => {
    refuses = true;
    const dialog = await openDialog();
    expect(await within(dialog).findByText('cluster-upgrade-one-minor objects')).toBeVisible();
    expect(within(dialog).getByRole('button', { name: 'Upgrade to v1.32.4' })).toBeDisabled();
  });

  it('is planned instead, for somebody else to approve', async () => {
    api.json(`${LIFECYCLE}/plans`, { metadata: { name: 'demo-x1' } }, { method: 'POST' });
    const dialog = await openDialog();
    await user.click(within(dialog).getByRole('button', { name: 'Make a plan of it' }));
    await waitFor(() => expect(api.calls.map(({ call }) => call)).toContain(`POST ${LIFECYCLE}/plans`));
    const made = api.calls.find(({ call }) => call === `POST ${LIFECYCLE}/plans`);
    expect(JSON.parse(made?.body as string)).toMatchObject({
      spec: { clusterRef: { name: 'demo' }, changes: { kubernetes: { version: 'v1.32.4' } } },
    });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked.filter(({ isDry }) => !isDry)).toEqual([]);
  });

  it('stays open until there is a plan, or says why there is none', async () => {
    api.refuse(`${LIFECYCLE}/plans`, 403, { reason: 'Forbidden', message: 'not for you' }, 'POST');
    const dialog = await openDialog();
    await waitFor(() => expect(within(dialog).getByRole('button', { name: /^Upgrade to/ })).toBeEnabled());
    const { fetch } = globalThis;
    let answer = (): void => undefined;
    globalThis.fetch = (input, init) => new Promise((resolve) => (answer = () => resolve(fetch(input, init))));
    await user.click(within(dialog).getByRole('button', { name: 'Make a plan of it' }));
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await user.click(within(dialog).getByRole('button', { name: /Upgrade to/ }));
    expect(dialog).toBeVisible();
    globalThis.fetch = fetch;
    act(answer);
    expect(await within(dialog).findByText('not for you')).toBeVisible();
    expect(asked.filter(({ isDry }) => !isDry)).toEqual([]);
  });

  it('is there for who may not, and says so', async () => {
    api.json(REVIEWS, { status: { allowed: false } }, { method: 'POST' });
    const item = await openMenu();
    await waitFor(() => expect(item).toHaveAttribute('aria-disabled', 'true'));
    expect(item.closest('li')).toHaveTextContent('It needs a higher role in the Project');
    await user.click(item);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it.each([
    {
      reason: 'the newest is there already',
      kubernetes: { engine: 'rke' as const, version: 'v1.32.4' },
      says: 'v1.32.4 is the newest version of Kubernetes that it can have',
    },
    {
      reason: 'others keep it',
      kubernetes: { engine: 'existing' as const },
      says: 'Those who keep the cluster upgrade its Kubernetes',
    },
  ])('leads nowhere when $reason', async ({ kubernetes, says }) => {
    api.list(CLUSTERS, [aCluster({}, { spec: { kubernetes } })]);
    const item = await openMenu();
    expect(item).toHaveAttribute('aria-disabled', 'true');
    expect(item.closest('li')).toHaveTextContent(says);
  });
});
