import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LoopbackServer } from './loopback-server.js';

const LONG_MS = 60_000;

describe('the place that the browser comes back to', () => {
  let server: LoopbackServer;
  beforeEach(async () => {
    server = await LoopbackServer.open();
  });
  afterEach(() => server.close());

  it('waits for the callback, whatever else is asked for', async () => {
    const { port, origin } = new URL(server.redirectUri);
    const callback = server.callback(LONG_MS);
    for (const path of ['//', '/favicon.ico']) expect(await statusOf(port, path)).toBe(404);
    expect((await fetch(`${origin}/callback?code=abc`)).status).toBe(200);
    expect((await callback).searchParams.get('code')).toBe('abc');
  });
});

describe('a port of its own', () => {
  let other: Server;
  beforeEach(async () => {
    other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await new Promise((resolve) => other.close(resolve));
  });

  it('that somebody else has is told, with what helps', async () => {
    const { port } = other.address() as AddressInfo;
    await expect(LoopbackServer.open(port)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(
        new RegExp(`^Port ${port} is taken by .+\\. End that, or give another --redirect-port$`),
      ),
    });
  });
});

/** As it is, where `fetch` would normalise it. */
async function statusOf(port: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
}
