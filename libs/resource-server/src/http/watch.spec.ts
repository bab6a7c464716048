import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { at } from '../fixtures/at.js';
import { CLUSTER_PATH, eventLines, HttpBench, TABLE } from '../fixtures/http-bench.js';
import { aCluster, CLUSTERS, CONTEXT, refTo } from '../fixtures/local-api.js';

const bench = new HttpBench();
const { call, post } = bench;
beforeEach(() => bench.start());
afterEach(() => bench.stop());

describe('watch', () => {
  it('sends one change a line', async () => {
    const created = await post(CLUSTER_PATH, aCluster());
    const events = eventLines(
      await bench.watch(`resourceVersion=${String(at(created.body, '.metadata.resourceVersion'))}`),
    );
    await post(CLUSTER_PATH, aCluster('next'));
    await call('DELETE', `${CLUSTER_PATH}/next`);
    expect((await events.next()).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'next' } } });
    expect((await events.next()).value).toMatchObject({ type: 'DELETED' });
    await events.return(undefined);
  });

  it('sends tables, the columns once', async () => {
    await post(CLUSTER_PATH, aCluster());
    await post(CLUSTER_PATH, aCluster('other'));
    const events = eventLines(await bench.watch('', { headers: { accept: TABLE } }));
    const [first, second] = [(await events.next()).value, (await events.next()).value];
    expect(at(first, '.object.columnDefinitions[0].name')).toBe('Name');
    expect(at(second, '.object')).toMatchObject({ kind: 'Table', columnDefinitions: [] });
    expect(at(second, '.object.rows[0].cells[0]')).toBe('other');
    await events.return(undefined);
  });

  it('ends the initial events with a bookmark when asked to', async () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = eventLines(await bench.watch(query));
    expect((await events.next()).value).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    await events.return(undefined);
    expect((await bench.watch('sendInitialEvents=true')).status).toBe(422);
  });

  it('reports an expired revision as an event', async () => {
    for (const name of ['a', 'b', 'c']) await post(CLUSTER_PATH, aCluster(name));
    await bench.server.store.compact(1);
    const response = await bench.watch('resourceVersion=1');
    expect(response.status).toBe(200);
    const seen = [];
    for await (const event of eventLines(response)) seen.push(event);
    expect(seen).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          kind: 'Status',
          code: 410,
          reason: 'Expired',
          details: expect.objectContaining({ traceId: expect.any(String) as unknown }) as unknown,
        }) as unknown,
      },
    ]);
  });

  it('ends after its time', async () => {
    expect(await (await bench.watch('timeoutSeconds=1')).text()).toBe('');
  });

  it('ends when the server closes', async () => {
    const response = await bench.watch('');
    bench.server.handler.close();
    expect(await response.text()).toBe('');
  });

  it('ends when the client goes', async () => {
    let ended = false;
    const { api } = bench.server;
    const watch = api.watch.bind(api);
    api.watch = async function* (...input) {
      try {
        yield* watch(...input);
      } finally {
        ended = true;
      }
    };
    const abort = new AbortController();
    await bench.watch('', { signal: abort.signal });
    abort.abort();
    while (!ended) await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(true);
  });

  it('takes no more events than a slow client reads', async () => {
    let taken = 0;
    const payload = 'x'.repeat(100_000);
    bench.server.api.watch = async function* () {
      for (; taken < 10_000; taken += 1) {
        yield await Promise.resolve({ type: 'ADDED', object: { ...aCluster(), payload } } as never);
      }
    };
    const { port } = new URL(bench.server.url);
    const socket = connect(Number(port), '127.0.0.1').pause();
    await once(socket, 'connect');
    socket.write(`GET ${CLUSTER_PATH}?watch=true HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ada-token\r\n\r\n`);
    let [before, looks] = [0, 0];
    // The number settles once the buffers of the kernel are full; a server without backpressure would reach the end.
    while (looks < 5) {
      looks = taken === before && taken > 0 ? looks + 1 : 0;
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(taken).toBeLessThan(1_000);
    socket.destroy();
  });

  it('does not exist for objects that are not served', async () => {
    bench.server.kinds.remove(CLUSTERS);
    expect((await bench.watch('')).status).toBe(404);
  });

  it('sees one object by its name', async () => {
    await post(CLUSTER_PATH, aCluster());
    await post(CLUSTER_PATH, aCluster('other'));
    const headers = { authorization: 'Bearer ada-token' };
    const events = eventLines(await fetch(`${bench.server.url}${CLUSTER_PATH}/other?watch=true`, { headers }));
    expect((await events.next()).value).toMatchObject({ object: { metadata: { name: 'other' } } });
    await events.return(undefined);
    expect(await bench.server.api.get(refTo(CLUSTERS, 'demo'), CONTEXT)).toBeDefined();
  });
});
