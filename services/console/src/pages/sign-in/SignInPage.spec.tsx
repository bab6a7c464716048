import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRoute, type AnyRoute } from '@tanstack/react-router';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import '../../i18n/index.js';
import { PlayedApi } from '../../testing/played-api.js';
import { AN_ADMIN, renderPage } from '../../testing/render-page.js';
import { SignInPage } from './SignInPage.js';

const api = new PlayedApi();
beforeEach(() => {
  api.install();
  api.json('/.well-known/crate-login', { issuers: [{ name: 'corporate' }] });
});
afterEach(() => {
  api.remove();
  globalThis.history.replaceState(null, '', '/');
});

function routes(parent: () => AnyRoute): AnyRoute[] {
  const page = (path: string, component: () => React.ReactElement): AnyRoute =>
    createRoute({ getParentRoute: parent, path, component });
  return [page('/sign-in', SignInPage), page('/', () => <p>first page</p>), page('/audit', () => <p>audit page</p>)];
}

describe('the sign-in page', () => {
  it('leads to an issuer, and back to where the person wanted to go', async () => {
    renderPage(routes, '/sign-in?error=sign_in_refused&to=%2Fconsole%2Faudit');
    const link = await screen.findByRole('link', { name: 'Sign in with corporate' });
    expect(link.getAttribute('href')).toBe('/console/login?issuer=corporate&to=%2Fconsole%2Faudit');
    expect(screen.getByText('The identity provider did not let you in.')).toBeTruthy();
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

  it('says how to get another one when the code was used', async () => {
    api.refuse('/console/session', 401, { reason: 'Unauthorized', message: 'used' }, 'POST');
    globalThis.history.replaceState(null, '', '/console/sign-in#code=abc');
    renderPage(routes, '/sign-in');
    await waitFor(() => expect(screen.getByText(/Ask for another one: crate console/)).toBeTruthy());
  });
});
