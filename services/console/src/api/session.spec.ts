import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PlayedApi } from '../testing/played-api.js';
import { AN_ADMIN } from '../testing/render-page.js';
import { keepTyped, typedAt } from './typed-texts.js';
import { currentSession, signInWithCode, signInWithToken, signOut } from './session.js';

const DRAFT = 'crate-create';
const api = new PlayedApi();
beforeEach(() => {
  sessionStorage.clear();
  api.install();
});
afterEach(() => api.remove());

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
