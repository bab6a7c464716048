import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent, useSearch } from '@tanstack/react-router';
import { act, fireEvent, waitFor } from '@testing-library/react';
import { useState, type ReactElement } from 'react';
import { apiFetch } from '../api/http.js';
import { PlayedApi } from '../testing/played-api.js';
import { AN_ADMIN, renderPage } from '../testing/render-page.js';
import { queryClient } from './query-client.js';
import { SESSION_QUERY } from './session-query.js';
import { SignedIn } from './SignedIn.js';

const api = new PlayedApi();

describe('the frame around every page', () => {
  beforeEach(() => api.install());
  afterEach(() => {
    api.remove();
    queryClient.clear();
  });

  it('forgets what one person read once they are signed out: the next may see less', async () => {
    api.refuse('/fleet', 401, { reason: 'Unauthorized', message: 'The session is over' });
    const signIn = (): string => 'Who are you?';
    const { findByText, container } = renderPage(
      (parent) => [
        createRoute({ getParentRoute: parent, path: '/', component: SignedIn }),
        createRoute({ getParentRoute: parent, path: '/sign-in', component: signIn }),
      ],
      '/',
    );
    await waitFor(() => expect(container).not.toBeEmptyDOMElement());
    queryClient.setQueryData(['audit'], ['what ada may read']);
    await act(async () => expect(apiFetch('/fleet')).rejects.toMatchObject({ status: 401 }));
    expect(await findByText('Who are you?')).toBeVisible();
    expect(queryClient.getQueryData(['audit'])).toBeUndefined();
    expect(queryClient.getQueryData(SESSION_QUERY)).toBeNull();
  });

  it('leads back from signing in to the page, however often it is told on the way there that the session is over', async () => {
    api.refuse('/fleet', 401, { reason: 'Unauthorized', message: 'The session is over' });
    let arrive = (): void => undefined;
    const code = new Promise<{ readonly SignIn: typeof SignIn }>((resolve) => (arrive = () => resolve({ SignIn })));
    const { findByText, container } = renderPage(
      (parent) => [
        createRoute({ getParentRoute: parent, path: '/audit', component: SignedIn }),
        createRoute({
          getParentRoute: parent,
          path: '/sign-in',
          component: lazyRouteComponent(() => code, 'SignIn'),
        }),
      ],
      '/audit',
    );
    await waitFor(() => expect(container).not.toBeEmptyDOMElement());
    await act(async () => expect(apiFetch('/fleet')).rejects.toMatchObject({ status: 401 }));
    await act(async () => expect(apiFetch('/fleet')).rejects.toMatchObject({ status: 401 }));
    act(arrive);
    expect(await findByText('On to /audit')).toBeVisible();
  });

  it('begins anew for another person whose session is there by itself, as from another tab', async () => {
    api.json('/console/session', AN_ADMIN);
    const page = signedInPage();
    fireEvent.change(await page.findByLabelText('Draft'), { target: { value: 'of ada' } });
    queryClient.setQueryData(['audit'], ['what ada may read']);
    api.json('/console/session', { ...AN_ADMIN, user: 'ben' });
    await act(() => queryClient.refetchQueries({ queryKey: SESSION_QUERY }));
    await waitFor(() => expect(page.getByLabelText('Draft')).toHaveValue(''));
    expect(queryClient.getQueryData(['audit'])).toBeUndefined();
    expect(queryClient.getQueryData(SESSION_QUERY)).toMatchObject({ user: 'ben' });
  });

  it.each([
    {
      what: 'another tab says so',
      hear: () =>
        Promise.resolve(globalThis.dispatchEvent(new StorageEvent('storage', { key: 'crate-session-changed' }))),
    },
    {
      what: 'a request is refused because the page is of the one before',
      hear: async () => {
        const causes = [{ reason: 'PageOfAnother', message: 'Load the page anew' }];
        const refusal = { kind: 'Status', code: 409, reason: 'Conflict', message: 'This page is of ada' };
        api.json('/fleet', { ...refusal, details: { causes } }, { status: 409 });
        await expect(apiFetch('/fleet')).rejects.toMatchObject({ status: 409 });
      },
    },
  ])('begins anew for another person as soon as $what', async ({ hear }) => {
    api.json('/console/session', AN_ADMIN);
    const page = signedInPage();
    fireEvent.change(await page.findByLabelText('Draft'), { target: { value: 'of ada' } });
    api.json('/console/session', { ...AN_ADMIN, user: 'ben' });
    await act(async () => void (await hear()));
    await waitFor(() => expect(page.getByLabelText('Draft')).toHaveValue(''));
    expect(queryClient.getQueryData(SESSION_QUERY)).toMatchObject({ user: 'ben' });
  });

  it('leaves everything as it is while the same person is renewed', async () => {
    api.json('/console/session', AN_ADMIN);
    const page = signedInPage();
    fireEvent.change(await page.findByLabelText('Draft'), { target: { value: 'of ada' } });
    queryClient.setQueryData(['audit'], ['what ada may read']);
    api.json('/console/session', { ...AN_ADMIN, expiresAt: '2026-01-31T12:00:00Z' });
    await act(() => queryClient.refetchQueries({ queryKey: SESSION_QUERY }));
    expect(page.getByLabelText('Draft')).toHaveValue('of ada');
    expect(queryClient.getQueryData(['audit'])).toBeDefined();
  });
});

/** The frame over what the whole page shares, around a page that holds something. */
function signedInPage(): ReturnType<typeof renderPage> {
  const frame = (): ReactElement => (
    <QueryClientProvider client={queryClient}>
      <SignedIn />
    </QueryClientProvider>
  );
  return renderPage((parent) => {
    const signedIn = createRoute({ getParentRoute: parent, id: 'signed-in', component: frame });
    return [signedIn.addChildren([createRoute({ getParentRoute: () => signedIn, path: '/', component: Draft })])];
  }, '/');
}

function Draft(): ReactElement {
  const [text, setText] = useState('');
  return <input aria-label="Draft" value={text} onChange={({ target }) => setText(target.value)} />;
}

function SignIn(): string {
  const { to }: { readonly to?: string } = useSearch({ strict: false });
  return `On to ${to ?? ''}`;
}
