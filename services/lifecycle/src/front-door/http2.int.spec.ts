import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, OIDC_CLIENT, OidcTestProvider } from '@crate/testing';
import { stringify } from 'yaml';
import { PlatformBench } from '../testing/platform-bench.js';

const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const SESSION = { ':path': '/console/session', 'x-crate-console': '1' };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

let bench: PlatformBench;
let provider: OidcTestProvider;
let directory: string;
const sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-http2-'));
  await writeFile(join(directory, 'index.html'), '<!doctype html>');
  [bench, provider] = await Promise.all([PlatformBench.start(), OidcTestProvider.start()]);
  const { issuer, caFile } = provider;
  const issuersFile = join(directory, 'issuers.yaml');
  const trusted = { name: 'corporate', issuer, caFile, audiences: [OIDC_CLIENT], login: { clientId: OIDC_CLIENT } };
  await writeFile(issuersFile, stringify({ issuers: [trusted] }));
  await bench.startLifecycle({
    api: bench.apiConfig({ limits: { perSecond: 10, burst: 20, watchesPerUser: 3 } }),
    authentication: { issuersFile },
    console: { dir: directory, sessionMs: 3_600_000 },
  });
});
afterEach(() => sessions.splice(0).forEach((session) => session.destroy()));
afterAll(async () => {
  await bench.close();
  await provider.stop();
  await rm(directory, { recursive: true, force: true });
});

function aSession(): ClientHttp2Session {
  const session = connect(bench.url, { ca: bench.certificate });
  session.on('error', () => undefined);
  sessions.push(session);
  return session;
}

function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let received = {};
    let text = '';
    stream.on('response', (given) => (received = given));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.once('error', reject);
    stream.once('end', () => resolve({ status: Number(Reflect.get(received, ':status')), headers: received, text }));
    if (body !== undefined) stream.end(JSON.stringify(body));
  });
}

describe('the front door over HTTP/2', () => {
  it('signs in, and takes the session from cookies sent one by one', async () => {
    const session = aSession();
    const post = { ...SESSION, ':method': 'POST', 'content-type': 'application/json' };
    const begun = await ask(session, post, { token: bench.tokenOf('ada', ['team-a']) });
    expect(begun.status).toBe(200);
    const cookie = String(begun.headers['set-cookie']).split(';', 1)[0] ?? '';
    const who = await ask(session, { ...SESSION, cookie: ['other=1', cookie, 'theme=dark'] });
    expect([who.status, JSON.parse(who.text)]).toMatchObject([200, { user: 'ada' }]);
    expect((await ask(session, { ':path': PROJECTS, cookie: [cookie] })).status).toBe(401);
  });

  it('is come back to where the browser found it', async () => {
    const { status, headers } = await ask(aSession(), { ':path': '/console/login?issuer=corporate' });
    const { searchParams } = new URL(String(headers['location']));
    expect([status, searchParams.get('redirect_uri')]).toEqual([302, `${bench.url}/console/callback`]);
  });

  it('limits what one user sends on one connection, and leaves others alone', async () => {
    const session = aSession();
    const as = (user: string): OutgoingHttpHeaders => ({
      ':path': PROJECTS,
      authorization: `Bearer ${bench.tokenOf(user, [])}`,
    });
    const noisy = as('noisy');
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(session, noisy)));
    const codes = answers.map(({ status }) => status);
    expect(codes.filter((code) => code === 200).length).toBeGreaterThanOrEqual(20);
    expect(codes.filter((code) => code === 429).length).toBeGreaterThan(20);
    expect((await ask(session, as('quiet'))).status).toBe(200);
  });

  it('counts watches of a user over all that he has open, and forgets those he gives up', async () => {
    const session = aSession();
    const headers = { ':path': `${PROJECTS}?watch=true`, authorization: `Bearer ${bench.tokenOf('watcher', [])}` };
    const open = (): Promise<number> =>
      new Promise((resolve) => {
        const stream = session.request(headers);
        stream.on('error', () => undefined);
        watches.push(() => stream.close(constants.NGHTTP2_CANCEL));
        stream.once('response', (given) => resolve(Number(given[':status'])));
      });
    const watches: (() => void)[] = [];
    expect([await open(), await open(), await open(), await open()]).toEqual([200, 200, 200, 429]);
    watches[0]?.();
    await eventually(async () => expect(await open()).toBe(200));
  });

  it('knows where a request came from', async () => {
    await ask(aSession(), { ':path': PROJECTS, authorization: 'Bearer nonsense' });
    const line = bench.logger.lines.findLast(({ message }) => message === 'Refusing a token');
    expect(line?.fields?.['address']).toBe('127.0.0.1');
  });
});
