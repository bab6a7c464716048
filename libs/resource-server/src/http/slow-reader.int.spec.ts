import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubeObject } from '@crate/api';
import { InMemoryResourceStore } from '@crate/resource-store';
import { type ApiServerFixture, startApiServer } from '../fixtures/api-server.js';
import { MAP_PATH } from '../fixtures/http-bench.js';
import { aConfigMap, localApi } from '../fixtures/local-api.js';
import { LocalResourceApi } from '../local-api/local-resource-api.js';

const CHANGES = 100_000;
const READERS = 20;
const HISTORY = 2_000;
/** What would pile up for one reader is `CHANGES` times this. */
const PAYLOAD = 'x'.repeat(1_000);
const MIB = 1024 * 1024;

let server: ApiServerFixture;
let store: InMemoryResourceStore;
let sockets: Socket[];
beforeEach(async () => {
  const fixture = localApi();
  store = new InMemoryResourceStore({ history: HISTORY });
  const api = new LocalResourceApi({ store, kinds: fixture.kinds });
  server = await startApiServer({ fixture: { ...fixture, store, api } });
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

/** A watcher that has its headers and the first event, and reads no further. */
async function stalledReader(): Promise<Socket> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
  sockets.push(socket);
  const headers = 'host: x\r\nauthorization: Bearer ada-token\r\nconnection: close';
  socket.write(`GET ${MAP_PATH}?watch=true HTTP/1.1\r\n${headers}\r\n\r\n`);
  let seen = '';
  while (!seen.includes('"ADDED"')) seen += String((await once(socket, 'data'))[0]);
  return socket.pause();
}

async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).resume();
  await once(socket, 'close');
  return text;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers + process.memoryUsage().external;
}

async function change(object: KubeObject, count: number): Promise<KubeObject> {
  let current = object;
  for (let index = 1; index <= count; index += 1) {
    current = await store.update({ ...current, data: { index: String(index), payload: PAYLOAD } });
    // Lets the server send what it can.
    if (index % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return current;
}

describe('clients that stop reading a watch', () => {
  it('cost no more memory the more changes go by, and are told when they missed some', async () => {
    const created = await store.create(aConfigMap('m', {}) as KubeObject);
    const readers = await Promise.all(Array.from({ length: READERS }, () => stalledReader()));
    // The buffers of all sockets and the log of the store are full by then.
    const early = await change(created, CHANGES / 10);
    const before = heapUsed();
    await change(early, CHANGES - CHANGES / 10);
    const grownMiB = (heapUsed() - before) / MIB;

    // Without bounds it would be some 90 MiB for each reader.
    expect(grownMiB).toBeLessThan(40);

    const text = await rest(readers[0] as Socket);
    const seen = [...text.matchAll(/"index":"(\d+)"/g)].map(([, index]) => Number(index));
    expect(seen).toEqual(seen.map((_, index) => (seen[0] as number) + index));
    expect(seen.at(-1)).toBeLessThan(CHANGES);
    expect(text).toMatch(/"type":"ERROR".*"reason":"Expired","code":410/);
  });
});
