import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { constants, type ClientHttp2Stream } from 'node:http2';
import { get } from 'node:https';
import type { Readable } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import type { KubeObject } from '@crate/api';
import { unauthenticated } from '@crate/errors';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { selfSignedCertificate } from '../fixtures/certificate.js';
import { answerOf, Http2Client } from '../fixtures/http2-client.js';
import { aConfigMap, CONTEXT, localApi, type LocalFixture } from '../fixtures/local-api.js';
import type { KubernetesRequestHandlerOptions } from '../http/kubernetes-request-handler.js';
import { LocalResourceRouter } from '../kinds/local-resource-router.js';
import { LocalResourceApi } from '../local-api/local-resource-api.js';
import type { ListenerLimits } from './listener-limits.js';
import { createResourceHttpServer, type ResourceHttpServer } from './resource-http-server.js';

const MAPS = '/api/v1/namespaces/team-a/configmaps';
const MIB = 1024 * 1024;

let fixture: LocalFixture;
let tls: ReturnType<typeof selfSignedCertificate>;
let logger: InMemoryLogger;
let server: ResourceHttpServer;
let url: string;
let client: Http2Client;
let open: Set<AbortSignal>;
const clients: Http2Client[] = [];

beforeEach(async () => {
  fixture = localApi();
  tls = selfSignedCertificate();
  logger = new InMemoryLogger();
  open = new Set();
  await start();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((each) => each.close()));
  await server.close();
});

type Changes = Partial<KubernetesRequestHandlerOptions> & { readonly listener?: Partial<ListenerLimits> };

async function start(changes: Changes = {}): Promise<void> {
  server = await createResourceHttpServer({
    router: new LocalResourceRouter(fixture.kinds, fixture.api),
    authenticate: ({ headers }) =>
      headers.authorization === 'Bearer ada-token'
        ? Promise.resolve(CONTEXT.caller)
        : Promise.reject(unauthenticated()),
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger,
    tls,
    http2: true,
    onRequest: ({ context }) => {
      open.add(context.signal);
      context.signal.addEventListener('abort', () => open.delete(context.signal));
    },
    ...changes,
  });
  url = await server.listen(0, '127.0.0.1');
  client = await aClient();
}

async function restart(changes: Changes): Promise<void> {
  await Promise.all(clients.splice(0).map((each) => each.close()));
  await server.close();
  await start(changes);
}

async function aClient(): Promise<Http2Client> {
  const made = await Http2Client.open(url, tls.cert);
  clients.push(made);
  return made;
}

async function create(name: string, payload = ''): Promise<KubeObject> {
  return fixture.store.create(aConfigMap(name, { payload }) as KubeObject);
}

/** Lines of a watch until one matches. */
async function linesUntil(stream: Readable, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (pattern.test(text)) break;
  }
  return text;
}

describe('over HTTP/2', () => {
  it('gets, creates and lists, many at a time on one connection', async () => {
    expect(client.session.alpnProtocol).toBe('h2');
    const body = JSON.stringify(aConfigMap('a', { key: 'value' }));
    const created = await client.call({ ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' }, body);
    expect(created.status).toBe(201);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => client.call({ ':path': n % 2 === 0 ? MAPS : `${MAPS}/a` })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(JSON.parse(answers[1]?.text ?? '')).toMatchObject({ metadata: { name: 'a' } });
    expect(answers[0]?.headers).toMatchObject({ 'strict-transport-security': 'max-age=31536000' });
    expect(answers[0]?.headers['connection']).toBeUndefined();
  });

  it('lists page by page what is too much for the memory', async () => {
    for (let n = 0; n < 1_200; n += 1) await create(`m-${n}`, 'x'.repeat(500));
    const { text } = await client.call({ ':path': MAPS });
    expect((JSON.parse(text) as { items: unknown[] }).items).toHaveLength(1_200);
  });

  it('lists in YAML what it lists in JSON', async () => {
    for (let n = 0; n < 3; n += 1) await create(`m-${n}`, 'x'.repeat(2_000));
    const [yaml, json] = [
      await client.call({ ':path': MAPS, accept: 'application/yaml' }),
      await client.call({ ':path': MAPS }),
    ];
    expect(parse(yaml.text)).toEqual(JSON.parse(json.text));
  });

  it('watches, with bookmarks', async () => {
    const query = 'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    await create('first');
    const stream = client.start({ ':path': `${MAPS}?${query}` });
    const initial = await linesUntil(stream, /BOOKMARK/);
    expect(initial).toMatch(/"ADDED".*first[\s\S]*"BOOKMARK".*initial-events-end/);
    await create('second');
    expect(await linesUntil(stream, /second/)).toMatch(/"ADDED".*second/);
  });

  it('frees a watch that the client gives up, and says nothing of it', async () => {
    const stream = client.start({ ':path': `${MAPS}?watch=true` });
    await once(stream, 'response');
    expect(open.size).toBe(1);
    stream.close(constants.NGHTTP2_CANCEL);
    await eventually(() => expect(open.size).toBe(0));
    const second = client.start({ ':path': `${MAPS}?watch=true` });
    await once(second, 'response');
    await client.close();
    await eventually(() => expect(open.size).toBe(0));
    expect(logger.lines).toEqual([]);
  });

  it('takes it for no failure when what a client no longer waits for fails', async () => {
    let ended = 0;
    fixture.api.get = async (_ref, { signal }) => {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      ended += 1;
      throw new Error('nobody waits for it');
    };
    const stream = client.start({ ':path': `${MAPS}/a` });
    await eventually(() => expect(open.size).toBe(1));
    stream.close(constants.NGHTTP2_CANCEL);
    await eventually(() => expect(ended).toBe(1));
    await client.call({ ':path': '/version' });
    expect(logger.at('error')).toEqual([]);
  });

  it('tells at the deadline that an answer took too long', async () => {
    fixture.api.get = () => new Promise(() => undefined);
    await restart({ deadlineMs: 50 });
    expect((await client.call({ ':path': `${MAPS}/a` })).status).toBe(504);
  });

  it('breaks a list off that fails half way, so that nobody takes it for whole', async () => {
    for (let n = 0; n < 600; n += 1) await create(`m-${n}`);
    const list = fixture.api.list.bind(fixture.api);
    let pages = 0;
    fixture.api.list = (...args) => ((pages += 1) === 1 ? list(...args) : Promise.reject(new Error('broken')));
    await expect(client.call({ ':path': MAPS })).rejects.toThrow();
    fixture.api.list = list;
    expect((await client.call({ ':path': MAPS })).status).toBe(200);
  });
});

describe('limits over HTTP/2', () => {
  const post = { ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' };

  it.each([
    { name: 'as it says beforehand', headers: { 'content-length': String(4 * MIB) } },
    { name: 'as it turns out', headers: {} },
  ])('takes no body that is too large, $name, and goes on with the connection', async ({ headers }) => {
    const stream = client.start({ ...post, ...headers }, Buffer.alloc(4 * MIB, 'x'));
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(answer[':status']).toBe(413);
    await eventually(() => expect(stream.closed).toBe(true));
    expect((await client.call({ ':path': '/version' })).status).toBe(200);
    expect(logger.at('error')).toEqual([]);
  });

  it('waits only so long for a body that does not end', async () => {
    await restart({ listener: { requestTimeoutMs: 100 } });
    const stream = client.session.request({ authorization: 'Bearer ada-token', ...post }, { endStream: false });
    stream.on('error', () => undefined);
    stream.write('{');
    const answer = await answerOf(stream);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([408, { kind: 'Status', reason: 'Timeout' }]);
    expect((await client.call({ ':path': '/version' })).status).toBe(200);
    expect(logger.at('error')).toEqual([]);
  });

  it.each([
    { name: 'headers as long', headers: { 'x-long': 'x'.repeat(40_000) } },
    {
      name: 'as many headers',
      headers: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x-header-${n}`, 'x'])),
    },
  ])('takes no $name as that', async ({ headers }) => {
    const answer = client.call({ ':path': '/version', ...headers });
    const status = await answer.then(
      (given) => given.status,
      () => 'refused',
    );
    expect([431, 'refused']).toContain(status);
    const again = await aClient();
    expect((await again.call({ ':path': '/version' })).status).toBe(200);
  });

  it('has a bounded number of requests open on a connection', async () => {
    expect(client.session.remoteSettings.maxConcurrentStreams).toBe(250);
    const streams = Array.from({ length: 300 }, () => client.start({ ':path': `${MAPS}?watch=true` }));
    await eventually(() => expect(open.size).toBe(250));
    expect((await (await aClient()).call({ ':path': '/version' })).status).toBe(200);
    streams.forEach((stream) => stream.close(constants.NGHTTP2_CANCEL));
    await eventually(() => expect(open.size).toBe(0));
  });

  describe('with more to take than a connection may hold', () => {
    const LISTS = 60;

    /** Answers of more than a megabyte each that nobody reads yet, or that wait because of the others. */
    async function untaken(): Promise<ClientHttp2Stream[]> {
      for (let n = 0; n < 11; n += 1) await create(`m-${n}`, 'x'.repeat(100_000));
      let answered = 0;
      const streams = Array.from({ length: LISTS }, () => client.start({ ':path': MAPS }));
      streams.forEach((stream) => stream.once('response', () => (answered += 1)));
      await eventually(() => expect(answered).toBeGreaterThan(30));
      return streams;
    }

    it('lets a request wait until there is room', async () => {
      const streams = await untaken();
      const next = client.call({ ':path': '/version' });
      const [answer, ...taken] = await Promise.all([next, ...streams.map((stream) => answerOf(stream))]);
      expect(answer.status).toBe(200);
      expect(taken.filter(({ text }) => text.length > 1_000_000)).toHaveLength(LISTS);
    });

    it('refuses it when the client reads nothing, and says what to do', async () => {
      await restart({ listener: { turnTimeoutMs: 100 } });
      await untaken();
      const { status, headers, text } = await client.call({ ':path': '/version' });
      expect([status, headers['retry-after'], JSON.parse(text)]).toMatchObject([
        429,
        '1',
        { kind: 'Status', reason: 'TooManyRequests', message: expect.stringContaining('open another connection') },
      ]);
      expect((await (await aClient()).call({ ':path': '/version' })).status).toBe(200);
    });

    it('forgets a request that is taken back while it waits', async () => {
      const streams = await untaken();
      const waiting = client.start({ ':path': `${MAPS}?watch=true` });
      await new Promise((resolve) => client.session.ping(resolve));
      waiting.close(constants.NGHTTP2_CANCEL);
      await Promise.all(streams.map((stream) => answerOf(stream)));
      expect((await client.call({ ':path': '/version' })).status).toBe(200);
      expect(open.size).toBe(0);
    });
  });

  it('sends a client away that takes requests back as fast as it makes them', async () => {
    const { session } = client;
    const batch = 200;
    const began = performance.now();
    // The server counts in whole seconds.
    const allowed = (): number => 500 + 50 * (1 + (performance.now() - began) / 1_000);
    let sent = 0;
    // So many at a time that a slow machine, too, makes them faster than the server forgets them.
    while (!session.destroyed && sent < allowed() + batch) {
      for (let n = 0; n < batch && !session.destroyed; n += 1, sent += 1) {
        client.start({ ':path': `${MAPS}?watch=true` }).close(constants.NGHTTP2_CANCEL);
      }
      // Both are on their way before the next ones.
      await new Promise((resolve) => {
        if (session.destroyed || !session.ping(resolve)) resolve(undefined);
      });
    }
    expect(session.destroyed).toBe(true);
    expect(sent).toBeGreaterThan(400);
    await eventually(() => expect(open.size).toBe(0));
    expect((await (await aClient()).call({ ':path': '/version' })).status).toBe(200);
  });

  it('ends a connection that only pings, and none that watches', async () => {
    await restart({ listener: { keepAliveTimeoutMs: 5_000 } });
    const watching = await aClient();
    await once(watching.start({ ':path': `${MAPS}?watch=true` }), 'response');
    const pings = setInterval(() => client.session.destroyed || client.session.ping(() => undefined), 20);
    await eventually(() => expect(client.session.closed).toBe(true));
    clearInterval(pings);
    expect(watching.session.closed).toBe(false);
    expect((await watching.call({ ':path': '/version' })).status).toBe(200);
  });
});

describe('clients that stop reading over HTTP/2', () => {
  const CHANGES = 30_000;
  const READERS = 20;
  const PAYLOAD = 'x'.repeat(1_000);

  function heapUsed(): number {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    const { heapUsed: heap, arrayBuffers, external } = process.memoryUsage();
    return heap + arrayBuffers + external;
  }

  async function change(object: KubeObject, count: number): Promise<KubeObject> {
    let current = object;
    for (let index = 1; index <= count; index += 1) {
      current = await fixture.store.update({ ...current, data: { index: String(index), payload: PAYLOAD } });
      if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return current;
  }

  it('cost no more memory the more changes go by, and leave other requests of the connection alone', async () => {
    const store = new InMemoryResourceStore({ history: 2_000 });
    fixture = { ...fixture, store, api: new LocalResourceApi({ store, kinds: fixture.kinds }) };
    await restart({});
    const created = await create('m');
    for (let n = 0; n < READERS; n += 1) {
      const stream = client.start({ ':path': `${MAPS}?watch=true` });
      await linesUntil(stream, /ADDED/);
      stream.pause();
    }
    const early = await change(created, CHANGES / 10);
    const before = heapUsed();
    await change(early, CHANGES - CHANGES / 10);
    // Without bounds it would be some 27 MiB for each reader.
    expect((heapUsed() - before) / MIB).toBeLessThan(40);
    const answer = await client.call({ ':path': '/version' });
    expect(answer.status).toBe(200);
  });
});

describe('a listener of both protocols', () => {
  it('speaks HTTP/1.1 to who knows no other', async () => {
    const version = await new Promise((resolve, reject) => {
      get(`${url}/version`, { ca: tls.cert, agent: false }, (response) => resolve(response.resume().httpVersion)).on(
        'error',
        reject,
      );
    });
    expect(version).toBe('1.1');
  });

  it('ends what HTTP/1.1 does not send in time', async () => {
    await restart({ listener: { headersTimeoutMs: 50, checkEveryMs: 20 } });
    const socket = connectTls({ ...addressOf(), ca: tls.cert, ALPNProtocols: ['http/1.1'] });
    socket.write('GET /version HTTP/1.1\r\nhost: x\r\n');
    expect(await all(socket)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('shows another certificate from the next connection on', async () => {
    const before = tls;
    tls = selfSignedCertificate();
    server.renewCertificate(tls);
    expect((await client.call({ ':path': '/version' })).status).toBe(200);
    await expect(Http2Client.open(url, before.cert)).rejects.toThrow();
    const renewed = await aClient();
    expect(renewed.session.alpnProtocol).toBe('h2');
    expect((await renewed.call({ ':path': '/version' })).status).toBe(200);
  });

  it('ends open watches of both when it closes, and waits for no connection', async () => {
    const first = client.start({ ':path': `${MAPS}?watch=true` });
    await once(first, 'response');
    const ended = answerOf(first);
    const second = connectTls({ ...addressOf(), ca: tls.cert, ALPNProtocols: ['http/1.1'] });
    second.write(`GET ${MAPS}?watch=true HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada-token\r\n\r\n`);
    await once(second, 'data');
    const rest = all(second);
    await server.close();
    await expect(ended).resolves.toMatchObject({ text: '' });
    await expect(rest).resolves.toBe('0\r\n\r\n');
    expect(client.session.closed).toBe(true);
  });

  it('cuts off who does not take his answer when it closes', async () => {
    await restart({ listener: { closeTimeoutMs: 200 } });
    for (let n = 0; n < 40; n += 1) await create(`m-${n}`, 'x'.repeat(100_000));
    const stream = client.start({ ':path': MAPS });
    await once(stream, 'response');
    stream.pause();
    await server.close();
    await eventually(() => expect(client.session.destroyed).toBe(true));
  });

  it('cuts off who does not take a whole answer, so that it does not hold its place', async () => {
    let [begun, atHand] = [0, 0];
    const onRequest = ({ response }: { readonly response: NodeJS.EventEmitter }): void => {
      begun += 1;
      atHand += 1;
      response.once('close', () => (atHand -= 1));
    };
    await restart({ deadlineMs: 5_000, onRequest });
    for (let n = 0; n < 160; n += 1) await create(`m-${n}`, 'x'.repeat(100_000));
    const stream = client.start({ ':path': MAPS });
    await once(stream, 'response');
    stream.pause();
    const socket = connectTls({ ...addressOf(), ca: tls.cert, ALPNProtocols: ['http/1.1'] });
    socket.on('error', () => undefined);
    socket.write(`GET ${MAPS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada-token\r\n\r\n`);
    await eventually(() => expect(begun).toBe(2));
    await eventually(() => expect(atHand).toBe(0));
    // Only the answer: others of the connection go on.
    expect((await client.call({ ':path': '/version' })).status).toBe(200);
    socket.destroy();
  });

  function addressOf(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: Number(new URL(url).port) };
  }

  async function all(socket: TLSSocket): Promise<string> {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'close');
    return text;
  }
});
