import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { PlayedApi } from '../testing/played-api.js';
import { AN_ADMIN } from '../testing/render-page.js';
import { apiFetch } from './http.js';
import { keepTyped, typedAt } from './typed-texts.js';
import { currentSession, signInWithCode, signInWithToken, signOut } from './session.js';

const DRAFT = 'crate-create';
const api = new PlayedApi();
beforeEach(() => {
  sessionStorage.clear();
  api.install();
});
afterEach(() => {
  jest.restoreAllMocks();
  api.remove();
});

function signedInAs(user: string): void {
  for (const method of ['GET', 'POST']) api.json('/console/session', { ...AN_ADMIN, user }, { method });
}

it.each([
  { way: 'an issuer', signIn: currentSession },
  { way: 'a token', signIn: () => signInWithToken('token') },
  { way: 'a code', signIn: () => signInWithCode('code', true) },
])('a draft waits for who left it, and goes when another person signs in by $way', async ({ signIn }) => {
  signedInAs('ada');
  await currentSession();
  sessionStorage.setItem(DRAFT, '{}');
  keepTyped('yaml', { text: 'of ada' });
  await signIn();
  expect(sessionStorage.getItem(DRAFT)).toBe('{}');
  expect(typedAt('yaml')).toEqual({ text: 'of ada' });
  signedInAs('vera');
  await signIn();
  expect(sessionStorage.getItem(DRAFT)).toBeNull();
  expect(typedAt('yaml')).toBeUndefined();
});

it('a draft that was begun after signing out failed is not for the next person', async () => {
  signedInAs('ada');
  await currentSession();
  api.fail('/console/session', 'DELETE');
  await expect(signOut()).rejects.toThrow();
  sessionStorage.setItem(DRAFT, '{}');
  signedInAs('vera');
  await currentSession();
  expect(sessionStorage.getItem(DRAFT)).toBeNull();
});

it('nothing is left in the tab of who signed out', async () => {
  signedInAs('ada');
  await currentSession();
  sessionStorage.setItem(DRAFT, '{}');
  api.json('/console/session', {}, { method: 'DELETE' });
  await signOut();
  expect(sessionStorage).toHaveLength(0);
});

it('what is asked says for whom the page asks, and nobody before that is known or after they have gone', async () => {
  api.json('/apis', {});
  const asked = jest.spyOn(globalThis, 'fetch');
  const said = async (): Promise<unknown> => {
    await apiFetch('/apis');
    return new Headers(asked.mock.lastCall?.[1]?.headers).get('x-crate-console-user');
  };
  api.refuse('/console/session', 401, { reason: 'Unauthorized', message: 'Nobody' });
  await currentSession();
  expect(await said()).toBeNull();
  signedInAs('José');
  await currentSession();
  expect(await said()).toBe('Jos%C3%A9');
  signedInAs('ben');
  await signInWithToken('token');
  expect(await said()).toBe('ben');
  api.json('/console/session', {}, { method: 'DELETE' });
  await signOut();
  expect(await said()).toBeNull();
});

it('other tabs hear of another person, and not of the same one again', async () => {
  const heard = jest.spyOn(Storage.prototype, 'setItem');
  const times = (): number => heard.mock.calls.filter(([key]) => key === 'crate-session-changed').length;
  signedInAs('ada');
  await currentSession();
  await currentSession();
  expect(times()).toBe(1);
  signedInAs('ben');
  await signInWithToken('token');
  expect(times()).toBe(2);
  api.json('/console/session', {}, { method: 'DELETE' });
  await signOut();
  expect(times()).toBe(3);
});
