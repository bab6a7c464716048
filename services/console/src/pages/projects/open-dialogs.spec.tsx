import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../api/use-live.js';
import { PlayedApi } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { user } from '../cluster/testing/user.js';
import { projectRoutes } from './routes.js';

const api = new PlayedApi();
const ACCOUNTS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts';
const KEYS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/apikeys';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const REFUSED = { type: 'ERROR', object: { code: 403, reason: 'Forbidden', message: 'not now' } };

/** Creates a key; its token is shown. */
async function createKey(): Promise<void> {
  api.json(KEYS, { metadata: { name: 'ci', namespace: 'team-a' } }, { method: 'POST' });
  api.json(`${KEYS}/ci/token`, { status: { token: 'crate-secret' } }, { method: 'POST' });
  renderPage(projectRoutes, '/projects/team-a/keys');
  await user.click(await screen.findByRole('button', { name: 'Create API key' }));
  const dialog = await screen.findByRole('dialog', { name: 'Create an API key' });
  await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'ci');
  await user.click(within(dialog).getByRole('button', { name: 'Create' }));
  await screen.findByDisplayValue('crate-secret');
}

describe('a dialog that is open while its list cannot be had', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    const project = { metadata: { name: 'team-a' }, spec: { members: [], quotas: {}, allowed: {}, defaults: {} } };
    api.list('/apis/lifecycle.crate.dev/v1alpha1/projects', [project]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    api.list(ACCOUNTS, []);
    api.list(KEYS, []);
  });
  afterEach(() => api.remove());

  it('keeps what was filled in for an account', async () => {
    renderPage(projectRoutes, '/projects/team-a/accounts');
    await user.click(await screen.findByRole('button', { name: 'Add account' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add a cloud account' });
    await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'main');
    const watch = await api.watchOf(ACCOUNTS);
    act(() => watch.send(REFUSED));
    await screen.findByText('not now');
    expect(within(dialog).getByRole('textbox', { name: 'Name' })).toHaveValue('main');
    expect(dialog).toBeInTheDocument();
  });

  it('keeps a token that nobody can see again', async () => {
    await createKey();
    const watch = await api.watchOf(KEYS);
    act(() => watch.send(REFUSED));
    await screen.findByText('not now');
    expect(screen.getByDisplayValue('crate-secret')).toBeInTheDocument();
  });

  it('keeps a token until somebody says that they have it, whatever key is pressed', async () => {
    await createKey();
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Token' })).toHaveFocus());
    await user.keyboard('{Enter} {Escape}');
    expect(screen.getByDisplayValue('crate-secret')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'I have it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(screen.getByRole('button', { name: 'Create API key' })).toHaveFocus());
  });
});
