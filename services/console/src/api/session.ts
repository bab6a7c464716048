import { ApiError } from './api-error.js';
import { forgetEarlyAnswers } from './early-answers.js';
import { apiFetch, apiJson, askFor } from './http.js';
import { forgetTyped } from './typed-texts.js';

/** Who is signed in. */
export interface Session {
  readonly user: string;
  readonly groups: readonly string[];
  readonly platformAdmin: boolean;
  /** When signing in again is needed; null when nobody knows. */
  readonly expiresAt: string | null;
  readonly method: 'oidc' | 'token';
}

/** One way to sign in. */
export interface Issuer {
  readonly name: string;
}

const SESSION = '/console/session';
/** Who was signed in in this tab last. */
const PERSON = 'crate-person';
/** Written for other tabs, which hear of it. */
const CHANGED = 'crate-session-changed';

/** Null when nobody is signed in. Throws ApiError. */
export async function currentSession(): Promise<Session | null> {
  try {
    return ownTab(await apiJson<Session>(SESSION));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    askFor(undefined);
    return null;
  }
}

/** Signs in with a token that the platform or an issuer gave; the page does not keep it. Throws ApiError. */
export async function signInWithToken(token: string): Promise<Session> {
  return ownTab(await apiJson<Session>(SESSION, { method: 'POST', body: { token } }));
}

/** Signs in with a code of `crate console`, which is good once. Throws ApiError; 409 for the session of another, unless it may be replaced. */
export async function signInWithCode(code: string, replace: boolean): Promise<Session> {
  const body = { code, ...(replace ? { replace } : {}) };
  return ownTab(await apiJson<Session>(SESSION, { method: 'POST', body }));
}

/** Ends the session; gives where the browser is to go, so that it ends at the issuer, too. Throws ApiError. */
export async function signOut(): Promise<string | undefined> {
  forgetEarlyAnswers();
  emptyTab();
  const answer = await apiFetch(SESSION, { method: 'DELETE' });
  sessionStorage.clear();
  askFor(undefined);
  tellOtherTabs();
  return answer.status === 204 ? undefined : ((await answer.json()) as { readonly next?: string }).next;
}

/** A draft is kept in the tab, and the next person at it is another one. Whose it was stays: who could not sign out may begin another draft. */
function emptyTab(): void {
  const person = sessionStorage.getItem(PERSON);
  forgetTyped();
  sessionStorage.clear();
  if (person !== null) sessionStorage.setItem(PERSON, person);
}

/** A session that ended by itself leaves a draft in the tab, for the same person to go on with, and for nobody else. */
function ownTab(session: Session): Session {
  const before = sessionStorage.getItem(PERSON);
  if (before !== null && before !== session.user) {
    forgetTyped();
    sessionStorage.clear();
  }
  sessionStorage.setItem(PERSON, session.user);
  askFor(session.user);
  if (before !== session.user) tellOtherTabs();
  return session;
}

function tellOtherTabs(): void {
  localStorage.setItem(CHANGED, new Date().toISOString());
}

/** Calls `listener` when in another tab somebody signs in or out; returns how to stop. */
export function onOtherTab(listener: () => void): () => void {
  const hear = ({ key }: StorageEvent): void => {
    if (key === CHANGED) listener();
  };
  globalThis.addEventListener('storage', hear);
  return () => globalThis.removeEventListener('storage', hear);
}

/** Issuers that people of this platform sign in with. Throws ApiError. */
export async function offeredIssuers(): Promise<readonly Issuer[]> {
  return (await apiJson<{ readonly issuers: readonly Issuer[] }>('/.well-known/crate-login')).issuers;
}

/** Where signing in with an issuer begins; `to` is where the person wanted to go. */
export function loginUrl(issuer: string, to: string): string {
  return `/console/login?${new URLSearchParams({ issuer, to }).toString()}`;
}
