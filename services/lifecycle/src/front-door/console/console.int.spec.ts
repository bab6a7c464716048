import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, freePort, OIDC_CLIENT, OIDC_WEB_CLIENT, OidcTestProvider, SignInAgent } from '@crate/testing';
import { stringify } from 'yaml';
import type { ConsoleBrowser } from '../../testing/console-browser.js';
import { type BrowserAnswer } from '../../testing/console-browser.js';
import { PlatformBench } from '../../testing/platform-bench.js';
import type { ConsoleSession } from './console-session.js';
import { SealedText } from './sealed-text.js';

const SESSION = '/console/session';
const COOKIE = '__Host-crate-session';
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const FOREVER = 1_000_000;

let bench: PlatformBench;
let provider: OidcTestProvider;
let directory: string;
let browser: ConsoleBrowser;
let otherPort: number;

// One story on one platform of two replicas.
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-console-'));
  const dir = join(directory, 'dist');
  await mkdir(join(dir, 'assets'), { recursive: true });
  await writeFile(join(dir, 'index.html'), '<!doctype html><title>Crate</title>');
  bench = await PlatformBench.start();
  provider = await OidcTestProvider.start([`${bench.url}/console/callback`]);
  const { issuer, caFile } = provider;
  const login = { clientId: OIDC_CLIENT, console: { clientId: OIDC_WEB_CLIENT } };
  const trusted = { name: 'corporate', issuer, caFile, audiences: [OIDC_CLIENT, OIDC_WEB_CLIENT], login };
  const issuersFile = join(directory, 'issuers.yaml');
  await writeFile(issuersFile, stringify({ issuers: [{ ...trusted, platformAdmins: ['cloud-team'] }] }));
  const changes = { authentication: { issuersFile }, console: { dir, sessionMs: 3_600_000 } };
  await bench.startLifecycle(changes);
  otherPort = await freePort();
  await bench.startLifecycle({ ...changes, api: bench.apiConfig({}, otherPort) }, otherPort);
  await eventually(async () => expect((await bench.call({ path: '/readyz' })).status).toBe(200));
});
afterAll(async () => {
  await bench.close();
  await provider.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  browser = bench.browser();
  provider.idTokenSeconds = 600;
});

function parsed({ body }: BrowserAnswer): Record<string, unknown> {
  return JSON.parse(body) as Record<string, unknown>;
}

/** As far as the way back from the issuer. */
async function atIssuer(login: string, to = '/console/'): Promise<string> {
  const off = await browser.ask(`/console/login?${new URLSearchParams({ issuer: 'corporate', to }).toString()}`);
  expect(off.status).toBe(302);
  const back = await new SignInAgent(provider.ca, login).signIn(off.headers.location ?? '');
  return `${back.pathname}${back.search}`;
}

async function signIn(login: string, to?: string): Promise<BrowserAnswer> {
  return browser.ask(await atIssuer(login, to));
}

async function whoAmI(headers: Record<string, string> = { 'x-crate-console': '1' }): Promise<BrowserAnswer> {
  return browser.ask(REVIEWS, { method: 'POST', body: {}, headers });
}

describe('signing in at an issuer', () => {
  it('leads there and back, and makes the browser that person', async () => {
    provider.groups.set('vera', ['team-a', 'cloud-team']);
    const done = await signIn('vera', '/console/clusters?project=team-a#top');
    expect([done.status, done.headers.location]).toEqual([302, '/console/clusters?project=team-a#top']);
    expect(done.headers['set-cookie']?.find((line) => line.startsWith(`${COOKIE}=`))).toMatch(
      /; Max-Age=3[56]\d\d; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    const session = await browser.fromPage(SESSION);
    expect([session.status, session.headers['cache-control'], parsed(session)]).toEqual([
      200,
      'no-store',
      {
        user: 'vera',
        groups: ['team-a', 'cloud-team', 'platform-admin', 'system:authenticated'],
        platformAdmin: true,
        expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
        method: 'oidc',
      },
    ]);
    expect(parsed(await whoAmI())['status']).toMatchObject({
      userInfo: { username: 'vera', extra: { 'authentication.crate.dev/issuer': [provider.issuer] } },
    });
    expect([...browser.cookies.values()].join()).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
  });

  it.each([
    'https://evil.example/console/',
    '//evil.example/console/',
    '/console/../evil',
    '/\\evil.example',
    '/console/\t/evil',
    '/other',
    '/console/login?issuer=corporate',
  ])('goes to the first page instead of to %j', async (to) => {
    const { status, headers } = await signIn('vera', to);
    expect([status, headers.location]).toEqual([302, '/console/']);
  });

  it('uses a code once, and in the browser that asked for it', async () => {
    const back = await atIssuer('vera');
    const other = bench.browser();
    expect((await other.ask(back)).headers.location).toBe('/console/sign-in?error=sign_in_expired&to=%2Fconsole%2F');
    expect(other.cookies.size).toBe(0);
    const underWay = new Map(browser.cookies);
    expect((await browser.ask(back)).headers.location).toBe('/console/');
    browser.cookies.clear();
    for (const [name, value] of underWay) browser.cookies.set(name, value);
    expect((await browser.ask(back)).headers.location).toMatch(/error=sign_in_refused/);
  });

  it('takes no way back that another browser began, as a link may lead into', async () => {
    const back = await atIssuer('mallory');
    browser = bench.browser();
    await browser.ask('/console/login?issuer=corporate');
    expect((await browser.ask(back)).headers.location).toMatch(/error=sign_in_expired/);
    expect((await browser.fromPage(SESSION)).status).toBe(401);
  });

  it.each([
    { name: 'an issuer nobody knows', path: '/console/login?issuer=nobody&to=/console/plans', error: 'issuer_unknown' },
    { name: 'a way back without a way there', path: '/console/callback?code=x&state=y', error: 'sign_in_expired' },
  ])('tells the page of $name', async ({ path, error }) => {
    const { status, headers } = await browser.ask(path);
    expect(status).toBe(302);
    expect(new URL(headers.location ?? '', bench.url).searchParams.get('error')).toBe(error);
  });

  it('tells the page what the issuer said no to', async () => {
    const off = await browser.ask('/console/login?issuer=corporate');
    const state = new URL(off.headers.location ?? '').searchParams.get('state') ?? '';
    const answer = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer });
    const { headers } = await browser.ask(`/console/callback?${answer.toString()}`);
    expect(headers.location).toMatch(/error=sign_in_refused/);
  });

  it('tells the page that the platform does not take the person', async () => {
    const { headers } = await signIn('system:admin');
    expect(headers.location).toMatch(/error=token_refused/);
    expect(browser.cookies.size).toBe(0);
  });
});

describe('a session', () => {
  const token = (user = 'ada'): string => bench.tokenOf(user, ['team-a']);
  const begin = (): Promise<BrowserAnswer> => browser.fromPage(SESSION, { method: 'POST', body: { token: token() } });

  it('begins with a token, too', async () => {
    const from = Date.now();
    const given = token();
    const until = Date.now();
    const begun = await browser.fromPage(SESSION, { method: 'POST', body: { token: given } });
    expect([begun.status, parsed(begun)]).toMatchObject([200, { user: 'ada', platformAdmin: false, method: 'token' }]);
    expect(parsed(await browser.fromPage(SESSION))).toEqual(parsed(begun));
    // As the token, which is good for ten minutes from a whole second on.
    const ends = Date.parse(String(parsed(begun)['expiresAt'])) - 600_000;
    expect(ends).toBeGreaterThan(from - 1_000);
    expect(ends).toBeLessThan(until + 1_000);
    expect(parsed(await whoAmI())['status']).toMatchObject({ userInfo: { username: 'ada' } });
  });

  it('is good at every replica', async () => {
    await begin();
    const elsewhere = bench.browser(otherPort);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    expect(parsed(await elsewhere.fromPage(SESSION))).toMatchObject({ user: 'ada' });
  });

  it.each([
    { name: 'a form of another origin', method: 'POST', headers: {} },
    { name: 'a link on another site', method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } },
    { name: 'a link on a sister site', method: 'GET', headers: { 'sec-fetch-site': 'same-site' } },
    { name: 'a program that says nothing', method: 'GET', headers: {} },
    {
      name: 'a script of another site that could set the header',
      method: 'POST',
      headers: { 'x-crate-console': '1', 'sec-fetch-site': 'cross-site' },
    },
    { name: 'a form of this origin', method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } },
  ])('is not used by $name', async ({ method, headers }) => {
    await begin();
    const path = method === 'GET' ? '/apis/lifecycle.crate.dev/v1alpha1/projects' : REVIEWS;
    const { status } = await browser.ask(path, { method, headers, ...(method === 'GET' ? {} : { body: {} }) });
    expect(status).toBe(401);
  });

  it('is used by a download of this origin', async () => {
    await begin();
    const { status } = await browser.ask('/apis', { headers: { 'sec-fetch-site': 'same-origin' } });
    expect(status).toBe(200);
  });

  it('is not used for the page of another person, which only looks who it is now', async () => {
    await begin();
    const headers = { 'x-crate-console-user': 'vera' };
    const refused = await browser.fromPage(REVIEWS, { method: 'POST', body: {}, headers });
    expect(refused.status).toBe(409);
    expect(parsed(refused)).toMatchObject({ details: { causes: [{ reason: 'PageOfAnother' }] } });
    expect(parsed(await browser.fromPage(SESSION, { headers }))).toMatchObject({ user: 'ada' });
    expect((await browser.fromPage('/apis', { headers: { 'x-crate-console-user': 'ada' } })).status).toBe(200);
  });

  it('does not stand in for credentials that are shown', async () => {
    await begin();
    const headers = { 'x-crate-console': '1', authorization: `Bearer ${token('vera')}` };
    expect(parsed(await whoAmI(headers))['status']).toMatchObject({ userInfo: { username: 'vera' } });
    expect((await whoAmI({ ...headers, authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it.each([
    {
      name: 'with one letter changed',
      change: (value: string) => value.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
    },
    { name: 'made of another cookie', change: (value: string) => value.slice(0, 60) },
    { name: 'that is nonsense', change: () => '1.x' },
    {
      name: 'under a key nobody has',
      change: (value: string) => value.replace(/^1\.[^.]+/, '1.20200101T000000000Z-00000000'),
    },
  ])('is none in a cookie $name', async ({ change }) => {
    await begin();
    browser.cookies.set(COOKIE, change(browser.cookies.get(COOKIE) ?? ''));
    expect((await browser.fromPage(SESSION)).status).toBe(401);
    expect((await whoAmI()).status).toBe(401);
  });

  it.each([
    { name: 'is good until it ends', endsInMs: 60_000, use: 'session' as const, status: 200 },
    { name: 'is over when its time is, though the token is good', endsInMs: -1, use: 'session' as const, status: 401 },
    { name: 'is no other thing that was sealed', endsInMs: 60_000, use: 'sign-in' as const, status: 401 },
  ])('$name', async ({ endsInMs, use, status }) => {
    const sealed = new SealedText(bench.hostOf('lifecycle').foundation.box);
    const session: ConsoleSession = { method: 'token', token: token(), endsAt: Date.now() + endsInMs };
    browser.cookies.set(COOKIE, `1.${await sealed.seal(use, session)}`);
    expect((await browser.fromPage(SESSION)).status).toBe(status);
  });

  it('is over when its token is, and nothing renews it', async () => {
    const sealed = new SealedText(bench.hostOf('lifecycle').foundation.box);
    const ended = provider.sign({ sub: 'vera', exp: Math.floor(Date.now() / 1000) - 60 });
    const session: ConsoleSession = { method: 'token', token: ended, endsAt: Date.now() + 60_000 };
    browser.cookies.set(COOKIE, `1.${await sealed.seal('session', session)}`);
    expect((await browser.fromPage(SESSION)).status).toBe(401);
  });

  it('does not begin with what the platform does not take, nor for another page', async () => {
    const refused = await browser.fromPage(SESSION, { method: 'POST', body: { token: 'nonsense' } });
    expect([refused.status, parsed(refused)['kind'], browser.cookies.size]).toEqual([401, 'Status', 0]);
    const foreign = await browser.ask(SESSION, { method: 'POST', body: { token: token() } });
    expect([foreign.status, browser.cookies.size]).toEqual([403, 0]);
    expect((await browser.fromPage(SESSION, { method: 'POST', body: { secret: 'x' } })).status).toBe(400);
  });

  it('spreads a long token over cookies, and takes them all back', async () => {
    const groups = Array.from({ length: 150 }, () => randomUUID());
    await browser.fromPage(SESSION, { method: 'POST', body: { token: bench.tokenOf('ada', groups) } });
    expect(browser.cookies.size).toBeGreaterThan(1);
    for (const [name, value] of browser.cookies) expect(`${name}=${value}`.length).toBeLessThan(3_800);
    expect((parsed(await browser.fromPage(SESSION))['groups'] as unknown[]).length).toBe(151);
    await browser.fromPage(SESSION, { method: 'DELETE' });
    expect(browser.cookies.size).toBe(0);
  });

  it('ends when it is signed out of, and the refresh token with it', async () => {
    await signIn('vera');
    const asked = provider.requests.filter((path) => path.includes('revocation')).length;
    const kept = new Map(browser.cookies);
    const ended = await browser.fromPage(SESSION, { method: 'DELETE' });
    expect([ended.status, parsed(ended)]).toEqual([200, { next: '/console/signed-out' }]);
    expect(browser.cookies.has(COOKIE)).toBe(false);
    expect((await browser.fromPage(SESSION)).status).toBe(401);
    expect(provider.requests.filter((path) => path.includes('revocation'))).toHaveLength(asked + 1);
    expect(kept.size).toBe(1);
  });

  it('ends at the issuer, too, by an address that no script sees', async () => {
    await signIn('vera');
    await browser.fromPage(SESSION, { method: 'DELETE' });
    const off = await browser.ask('/console/login?issuer=corporate');
    expect(new URL(off.headers.location ?? '').searchParams.get('prompt')).toContain('login');
    const { headers } = await browser.ask('/console/signed-out');
    const page = new URL(headers.location ?? '');
    expect(page.origin).toBe(provider.issuer);
    expect(page.searchParams.get('client_id')).toBe(OIDC_WEB_CLIENT);
    expect(page.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect((await browser.ask('/console/signed-out')).headers.location).toBe('/console/sign-in');
    const next = await browser.ask('/console/login?issuer=corporate');
    expect(new URL(next.headers.location ?? '').searchParams.get('prompt') ?? '').not.toContain('login');
  });

  it.each([
    { error: 'login_required', asksAgain: false },
    { error: 'access_denied', asksAgain: true },
  ])('asks who is there after $error: $asksAgain', async ({ error, asksAgain }) => {
    await signIn('vera');
    await browser.fromPage(SESSION, { method: 'DELETE' });
    const login = async (): Promise<URLSearchParams> => {
      const { headers } = await browser.ask('/console/login?issuer=corporate');
      return new URL(headers.location ?? '').searchParams;
    };
    const asked = await login();
    expect(asked.get('prompt')).toContain('login');
    const refusal = new URLSearchParams({ error, state: asked.get('state') ?? '', iss: provider.issuer });
    expect((await browser.ask(`/console/callback?${refusal.toString()}`)).headers.location).toMatch(/sign_in_refused/);
    expect((await login()).get('prompt')?.includes('login') ?? false).toBe(asksAgain);
  });

  it('is written down, with who and from where and no token', async () => {
    await begin();
    const lines = bench.logger.lines.filter(({ message }) => message === 'Signing in to the console');
    expect(lines.at(-1)?.fields).toMatchObject({
      user: 'ada',
      method: 'token',
      outcome: 'accepted',
      address: '127.0.0.1',
    });
    expect(JSON.stringify(bench.logger.lines)).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
  });
});

describe('the token of a session', () => {
  it('is renewed shortly before its end', async () => {
    provider.idTokenSeconds = 4;
    await signIn('vera');
    const first = browser.cookies.get(COOKIE);
    const before = provider.refreshes;
    await eventually(async () => {
      expect((await browser.fromPage(SESSION)).status).toBe(200);
      expect(browser.cookies.get(COOKIE)).not.toBe(first);
    });
    expect(provider.refreshes).toBeGreaterThan(before);
  });

  it('is used to its end while the issuer is away, and asks for patience after it', async () => {
    // Longer than it takes to sign in.
    provider.idTokenSeconds = 20;
    await signIn('vera');
    await provider.pause();
    const seen: number[] = [];
    try {
      await eventually(async () => {
        seen.push((await browser.fromPage(SESSION)).status);
        expect(seen.at(-1)).toBe(503);
      });
      expect(new Set(seen.slice(0, -1))).toEqual(new Set([200]));
      expect(browser.cookies.size).toBe(1);
    } finally {
      await provider.resume();
    }
    await eventually(async () => expect((await browser.fromPage(SESSION)).status).toBe(200));
  });

  it('ends the session when the issuer takes the refresh token no longer', async () => {
    provider.idTokenSeconds = 4;
    await signIn('vera');
    const kept = new Map(browser.cookies);
    await browser.fromPage(SESSION, { method: 'DELETE' });
    for (const [name, value] of kept) browser.cookies.set(name, value);
    await eventually(async () => expect((await browser.fromPage(SESSION)).status).toBe(401));
    expect(browser.cookies.has(COOKIE)).toBe(false);
  });
});

describe('a sign-in code', () => {
  const ask = (token?: string): ReturnType<PlatformBench['call']> =>
    bench.call({ method: 'POST', path: '/console/sign-in-codes', token }, otherPort);

  it('stands for a token once, at any replica', async () => {
    const { status, body } = await ask(bench.tokenOf('ada', ['team-a']));
    expect(status).toBe(201);
    const code = String(body['code']);
    expect(body).toEqual({ code, path: `/console/sign-in#code=${code}`, expiresAt: expect.any(String) });
    const begun = await browser.fromPage(SESSION, { method: 'POST', body: { code } });
    expect([begun.status, parsed(begun)]).toMatchObject([200, { user: 'ada', method: 'token' }]);
    const again = await bench.browser().fromPage(SESSION, { method: 'POST', body: { code } });
    expect(again.status).toBe(401);
  });

  it('replaces the session of another person only when told to, and of the same one at once', async () => {
    await browser.fromPage(SESSION, { method: 'POST', body: { token: bench.tokenOf('ada', []) } });
    const codeOf = async (user: string): Promise<string> => String((await ask(bench.tokenOf(user, []))).body['code']);
    const code = await codeOf('eve');
    const refused = await browser.fromPage(SESSION, { method: 'POST', body: { code } });
    expect([refused.status, parsed(refused)]).toMatchObject([409, { message: expect.stringContaining('eve') }]);
    expect(parsed(await browser.fromPage(SESSION))).toMatchObject({ user: 'ada' });
    const own = await browser.fromPage(SESSION, { method: 'POST', body: { code: await codeOf('ada') } });
    expect([own.status, parsed(own)]).toMatchObject([200, { user: 'ada' }]);
    const meant = await browser.fromPage(SESSION, { method: 'POST', body: { code, replace: true } });
    expect([meant.status, parsed(meant)]).toMatchObject([200, { user: 'eve' }]);
  });

  it('is not good for the token of another code', async () => {
    const codes = [await ask(bench.tokenOf('ada', [])), await ask(bench.tokenOf('eve', []))].map(({ body }) => body);
    const { database } = bench.hostOf('lifecycle').foundation;
    // Every row holds what another one held.
    await database.execute(`UPDATE console_handovers AS mine SET content =
      (SELECT content FROM console_handovers AS other WHERE other.digest <> mine.digest LIMIT 1)`);
    for (const { code } of codes) {
      const { status } = await browser.fromPage(SESSION, { method: 'POST', body: { code: String(code) } });
      expect(status).toBe(401);
    }
  });

  it('is for who shows a token', async () => {
    expect((await ask()).status).toBe(401);
    expect((await ask('nonsense')).status).toBe(401);
    await browser.fromPage(SESSION, { method: 'POST', body: { token: bench.tokenOf('ada', []) } });
    expect((await browser.fromPage('/console/sign-in-codes', { method: 'POST' })).status).toBe(403);
    expect((await browser.ask('/console/sign-in-codes', { method: 'POST' })).status).toBe(401);
    const made = await bench.browser().fromPage(SESSION, { method: 'POST', body: { code: 'x'.repeat(43) } });
    expect(made.status).toBe(401);
  });
});

describe('the door', () => {
  it('sends browsers to the console, and serves its page at deeper paths', async () => {
    const { status, headers } = await browser.ask('/', { headers: { accept: 'text/html' } });
    expect([status, headers.location]).toEqual([302, '/console/']);
    const page = await browser.ask('/console/clusters/team-a/demo');
    expect([page.status, page.body]).toEqual([200, '<!doctype html><title>Crate</title>']);
    expect(page.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('forgets handovers after their time', async () => {
    const { database } = bench.hostOf('lifecycle').foundation;
    await database.execute(`UPDATE console_handovers SET expires_at = now() - interval '1 hour'`);
    await bench.call({ method: 'POST', path: '/console/sign-in-codes', token: bench.tokenFor('x') });
    expect(await database.rows('SELECT digest FROM console_handovers LIMIT $1', [FOREVER])).toHaveLength(1);
  });
});
