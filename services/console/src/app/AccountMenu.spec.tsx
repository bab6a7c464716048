import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createRoute } from '@tanstack/react-router';
import { screen, waitFor } from '@testing-library/react';
import type { ReactElement } from 'react';
import { user } from '../pages/cluster/testing/user.js';
import { PlayedApi } from '../testing/played-api.js';
import { renderPage } from '../testing/render-page.js';
import { AccountMenu } from './AccountMenu.js';
import { BROWSER } from './reload.js';

const api = new PlayedApi();
beforeEach(() => api.install());
afterEach(() => api.remove());

async function signOut(): Promise<void> {
  const signIn = (): ReactElement => <p>Sign in</p>;
  renderPage(
    (parent) => [
      createRoute({ getParentRoute: parent, path: '/', component: AccountMenu }),
      createRoute({ getParentRoute: parent, path: '/sign-in', component: signIn }),
    ],
    '/',
  );
  await user.click(await screen.findByRole('button', { name: /Signed in as/ }));
  await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
}

describe('signing out', () => {
  it('says so when the platform does not answer, and is tried again', async () => {
    api.fail('/console/session', 'DELETE');
    sessionStorage.setItem('crate-create', '{"kind":"Cluster"}');
    await signOut();
    expect(await screen.findByText(/You are still signed in/)).toBeVisible();
    expect(sessionStorage.getItem('crate-create')).toBeNull();
    api.json('/console/session', {}, { method: 'DELETE' });
    await user.click(screen.getByRole('button', { name: 'Sign out' }));
    expect(await screen.findByText('Sign in')).toBeVisible();
  });

  it('leaves no word of a failure that somebody has read and closed', async () => {
    api.fail('/console/session', 'DELETE');
    await signOut();
    await screen.findByText(/You are still signed in/);
    await user.click(screen.getByRole('button', { name: /^Close/ }));
    await waitFor(() => expect(screen.queryByText(/You are still signed in/)).toBeNull());
  });

  it('goes on to the issuer, where that has a session to end', async () => {
    const goTo = jest.spyOn(BROWSER, 'goTo').mockReturnValue();
    api.json('/console/session', { next: '/console/signed-out' }, { method: 'DELETE' });
    await signOut();
    await waitFor(() => expect(goTo).toHaveBeenCalledWith('/console/signed-out'));
  });

  it('leaves no draft in the tab for the next person', async () => {
    api.json('/console/session', {}, { method: 'DELETE' });
    sessionStorage.setItem('crate-create', '{"kind":"Cluster"}');
    await signOut();
    expect(await screen.findByText('Sign in')).toBeVisible();
    expect(sessionStorage.getItem('crate-create')).toBeNull();
  });
});
