import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { InMemoryLogger } from '@crate/telemetry';
import { CONTEXT, localApi } from '../fixtures/local-api.js';
import { LocalResourceRouter } from '../kinds/local-resource-router.js';
import type { ListenerLimits } from './listener-limits.js';
import { createResourceHttpServer, type ResourceHttpServer } from './resource-http-server.js';

const HEAD = 'POST /apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters HTTP/1.1\r\nhost: x\r\n';

let server: ResourceHttpServer | undefined;
let open: Socket | undefined;
afterEach(async () => {
  open?.destroy();
  await server?.close();
});

async function start(listener: Partial<ListenerLimits> = {}): Promise<number> {
  const { api, kinds } = localApi();
  server = await createResourceHttpServer({
    router: new LocalResourceRouter(kinds, api),
    authenticate: () => Promise.resolve(CONTEXT.caller),
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger: new InMemoryLogger(),
    listener: { checkEveryMs: 20, ...listener },
  });
  return Number(new URL(await server.listen(0, '127.0.0.1')).port);
}

/** Sends and says nothing more; gives what comes until the server closes. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    open = connect(port, '127.0.0.1', () => open?.write(text));
    open.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    open.on('close', () => resolve(answer));
    open.on('error', reject);
  });
}

describe('a listener', () => {
  it.each([
    { name: 'a head that does not end', text: HEAD, listener: { headersTimeoutMs: 50, requestTimeoutMs: 5000 } },
    {
      name: 'a body that does not end',
      text: `${HEAD}content-length: 100\r\n\r\n{`,
      listener: { headersTimeoutMs: 50, requestTimeoutMs: 60 },
    },
  ])('waits for $name only so long', async ({ text, listener }) => {
    const answer = await send(await start(listener), text);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ kind: 'Status', code: 408 });
  });

  it.each([
    { name: 'a path', text: `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n` },
    { name: 'a header', text: `${HEAD}x-long: ${'x'.repeat(40_000)}\r\n\r\n` },
  ])('takes $name of so many bytes and no more', async ({ text }) => {
    const answer = await send(await start(), text);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ reason: 'RequestHeaderFieldsTooLarge' });
  });

  it.each([
    'hello\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `${HEAD}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n`,
  ])('refuses %j in a Status', async (text) => {
    const answer = await send(await start(), text);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).not.toMatch(/Parse Error|HPE_/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ kind: 'Status', code: 400 });
  });
});
