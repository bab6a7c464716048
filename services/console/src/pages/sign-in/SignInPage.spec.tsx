import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { onlineManager, QueryClientProvider } from '@tanstack/react-query';
import { createRoute, type AnyRoute } from '@tanstack/react-router';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import '../../i18n/index.js';
import { queryClient } from '../../app/query-client.js';
import { SESSION_QUERY } from '../../app/session-query.js';
import { PlayedApi } from '../../testing/played-api.js';
import { AN_ADMIN, renderPage } from '../../testing/render-page.js';
import { PageHeading } from '../../components/PageHeading.js';
import { SignInPage } from './SignInPage.js';

const api = new PlayedApi();
beforeEach(() => {
  api.install();
  api.json('/.well-known/crate-login', { issuers: [{ name: 'corporate' }] });
});
afterEach(() => {
  api.remove();
  queryClient.clear();
  onlineManager.setOnline(true);
  globalThis.history.replaceState(null, '', '/');
});

function routes(parent: () => AnyRoute): AnyRoute[] {
  const page = (path: string, component: () => React.ReactElement): AnyRoute =>
    createRoute({ getParentRoute: parent, path, component });
  const signIn = (): React.ReactElement => (
    <QueryClientProvider client={queryClient}>
      <SignInPage />
    </QueryClientProvider>
  );
  const first = (): React.ReactElement => <PageHeading title="First page" />;
  return [page('/sign-in', signIn), page('/', first), page('/audit', () => <p>audit page</p>)];
}

describe('the sign-in page', () => {
  it('leads to an issuer, and back to where the person wanted to go', async () => {
    renderPage(routes, '/sign-in?error=sign_in_refused&to=%2Fconsole%2Faudit');
    const link = await screen.findByRole('link', { name: 'Sign in with corporate' });
    expect(link.getAttribute('href')).toBe('/console/login?issuer=corporate&to=%2Fconsole%2Faudit');
    expect(screen.getByText('The identity provider did not let you in.')).toBeTruthy();
  });

  it('says that the ways in could not be read, and asks for them again', async () => {
    api.refuse('/.well-known/crate-login', 500, { reason: 'InternalError', message: 'Not now' });
    renderPage(routes, '/sign-in');
    expect(await screen.findByText('The ways to sign in could not be read')).toBeVisible();
    api.json('/.well-known/crate-login', { issuers: [{ name: 'corporate' }] });
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'Sign in with corporate' })).toBeVisible();
    expect(screen.queryByText('The ways to sign in could not be read')).toBeNull();
  });

  it('says so until there is an answer, and leaves the focus to who asks again', async () => {
    api.fail('/.well-known/crate-login');
    renderPage(routes, '/sign-in');
    const alert = await screen.findByText('The ways to sign in could not be read');
    const retry = screen.getByRole('button', { name: 'Try again' });
    retry.focus();
    const asked = jest.fn<typeof fetch>(() => new Promise(() => undefined));
    globalThis.fetch = asked;
    fireEvent.click(retry);
    await waitFor(() => expect(asked).toHaveBeenCalled());
    await waitFor(() => expect(queryClient.isFetching()).toBe(1));
    expect(alert).toBeInTheDocument();
    expect(retry).toHaveFocus();
  });

  it('says so, too, where the browser says that there is no network', async () => {
    api.fail('/.well-known/crate-login');
    onlineManager.setOnline(false);
    renderPage(routes, '/sign-in');
    expect(await screen.findByText('The ways to sign in could not be read')).toBeVisible();
  });

  it('uses the code of the command line, once, and leaves it nowhere', async () => {
    api.json('/console/session', AN_ADMIN, { method: 'POST' });
    globalThis.history.replaceState(null, '', '/console/sign-in#code=abc');
    renderPage(routes, '/sign-in?to=%2Faudit');
    await screen.findByText('audit page');
    const sent = api.calls.filter(({ call }) => call === 'POST /console/session');
    expect(sent.map(({ body }) => body)).toEqual(['{"code":"abc"}']);
    expect(globalThis.location.hash).toBe('');
  });

  it('asks before it replaces the session of another person', async () => {
    api.refuse('/console/session', 409, { reason: 'Conflict', message: 'You are signed in as ada' }, 'POST');
    globalThis.history.replaceState(null, '', '/console/sign-in#code=abc');
    renderPage(routes, '/sign-in?to=%2Faudit');
    await screen.findByText(/You are signed in as ada/);
    api.json('/console/session', AN_ADMIN, { method: 'POST' });
    fireEvent.click(screen.getByRole('button', { name: 'Sign in as them' }));
    await screen.findByText('audit page');
    const sent = api.calls.filter(({ call }) => call === 'POST /console/session');
    expect(sent.map(({ body }) => body)).toEqual(['{"code":"abc"}', '{"code":"abc","replace":true}']);
  });

  it.each([
    { way: 'a code', hash: '#code=abc' },
    { way: 'a token', hash: '' },
  ])('leaves nothing of what another person saw who was signed in before, by $way', async ({ hash }) => {
    queryClient.setQueryData(SESSION_QUERY, AN_ADMIN);
    queryClient.setQueryData(['audit'], ['what ada may read']);
    api.json('/console/session', { ...AN_ADMIN, user: 'ben' }, { method: 'POST' });
    globalThis.history.replaceState(null, '', `/console/sign-in${hash}`);
    renderPage(routes, '/sign-in?to=%2Faudit');
    if (hash === '') {
      fireEvent.change(await screen.findByLabelText(/Token/), { target: { value: 'token' } });
      fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    }
    await screen.findByText('audit page');
    expect(queryClient.getQueryData(['audit'])).toBeUndefined();
    expect(queryClient.getQueryData(SESSION_QUERY)).toMatchObject({ user: 'ben' });
    expect(api.calls.filter(({ call }) => call === 'POST /console/session')).toHaveLength(1);
  });

  it('hands the focus on to the page that it leads to', async () => {
    api.json('/console/session', AN_ADMIN, { method: 'POST' });
    renderPage(routes, '/sign-in');
    fireEvent.change(await screen.findByLabelText(/Token/), { target: { value: 'token' } });
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByRole('heading', { name: 'First page' })).toHaveFocus();
  });

  it('says in its own words that a token had no answer', async () => {
    api.fail('/console/session', 'POST');
    renderPage(routes, '/sign-in');
    fireEvent.change(await screen.findByLabelText(/Token/), { target: { value: 'token' } });
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByText('The platform cannot be reached')).toBeVisible();
  });

  it.each([
    {
      what: 'nobody answers',
      play: () => api.fail('/console/session', 'POST'),
      says: 'The platform cannot be reached',
    },
    {
      what: 'there were too many attempts',
      play: () => api.refuse('/console/session', 429, { reason: 'TooManyRequests', message: 'Wait a while' }, 'POST'),
      says: 'Wait a while',
    },
    {
      what: 'an issuer is away',
      play: () => api.refuse('/console/session', 503, { reason: 'ServiceUnavailable', message: 'Not now' }, 'POST'),
      says: 'Not now',
    },
  ])('says that $what, and uses the same code once more: it is good still', async ({ play, says }) => {
    play();
    globalThis.history.replaceState(null, '', '/console/sign-in#code=abc');
    renderPage(routes, '/sign-in?to=%2Faudit');
    expect(await screen.findByText(says)).toBeVisible();
    expect(screen.queryByText(/Ask for another one/)).toBeNull();
    api.json('/console/session', AN_ADMIN, { method: 'POST' });
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('audit page')).toBeVisible();
    const sent = api.calls.filter(({ call }) => call === 'POST /console/session');
    expect(sent.map(({ body }) => body)).toEqual(['{"code":"abc"}', '{"code":"abc"}']);
  });

  it('says how to get another one when the code was used', async () => {
    api.refuse('/console/session', 401, { reason: 'Unauthorized', message: 'used' }, 'POST');
    globalThis.history.replaceState(null, '', '/console/sign-in#code=abc');
    renderPage(routes, '/sign-in');
    await waitFor(() => expect(screen.getByText(/Ask for another one: crate console/)).toBeTruthy());
  });
});
