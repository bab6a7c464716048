import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, CrateClient, type Cluster, type KindClient, type WatchEvent } from '../index.js';
import { draft, TestApi } from '../testing/api.js';
import { jsonLines } from './json-lines.js';

let api: TestApi;
let crate: CrateClient;
let clusters: KindClient<Cluster>;
let over: AbortController;
beforeEach(async () => {
  api = await TestApi.start();
  crate = new CrateClient({ server: api.url, token: 'secret' });
  clusters = crate.kind(CLUSTER).in('team-a');
  over = new AbortController();
});
afterEach(async () => {
  over.abort();
  crate.close();
  await api.close();
});

/** The next events, as `type name`. */
async function next(events: AsyncGenerator<WatchEvent<Cluster>>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const result = await events.next();
    if (result.done === true) break;
    seen.push(`${result.value.type} ${result.value.object.metadata.name}`);
  }
  return seen;
}

function watchCount(): number {
  return api.requests.filter((line) => line.includes('watch=true')).length;
}

function refuseWatches(code: number, reason: string, headers: Record<string, string> = {}): void {
  api.fault = ({ url = '' }, response) => {
    if (!url.includes('watch=true')) return false;
    response.writeHead(code, headers).end(JSON.stringify({ kind: 'Status', reason, code, message: reason }));
    return true;
  };
}

describe('watch', () => {
  it('tells what exists, then every change', async () => {
    await clusters.create(draft('a'));
    const events = clusters.watch({ signal: over.signal });
    expect(await next(events, 1)).toEqual(['ADDED a']);
    const heard = next(events, 3);
    await clusters.create(draft('b'));
    await clusters.patch('a', { spec: { paused: true } });
    await clusters.remove('b');
    expect(await heard).toEqual(['ADDED b', 'MODIFIED a', 'DELETED b']);
  });

  it('goes on where a broken connection left off, and tells nothing twice', async () => {
    const events = clusters.watch({ signal: over.signal });
    const heard = next(events, 6);
    for (let index = 0; index < 6; index++) {
      await clusters.create(draft(`c-${index}`));
      if (index % 2 === 0) api.cut();
    }
    expect(await heard).toEqual(Array.from({ length: 6 }, (_, index) => `ADDED c-${index}`));
  });

  it('finds what changed meanwhile when the server does not know that far back', async () => {
    await clusters.create(draft('kept'));
    await clusters.create(draft('gone'));
    await clusters.create(draft('again'));
    const events = clusters.watch({ signal: over.signal });
    expect(await next(events, 3)).toEqual(['ADDED again', 'ADDED gone', 'ADDED kept']);

    let isForgetful = true;
    api.fault = ({ url = '' }, response) => {
      if (!url.includes('watch=true') || !isForgetful) return false;
      isForgetful = false;
      const expired = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' };
      response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`);
      return true;
    };
    api.cut();
    const heard = next(events, 4);
    await clusters.remove('gone');
    await clusters.remove('again');
    await clusters.create(draft('again'));
    await clusters.patch('kept', { spec: { paused: true } });
    expect(await heard).toEqual(
      expect.arrayContaining(['DELETED gone', 'DELETED again', 'ADDED again', 'MODIFIED kept']),
    );
  });

  it('ends with its signal, and with its caller', async () => {
    const events = clusters.watch({ signal: over.signal });
    const ended = events.next();
    over.abort();
    expect((await ended).done).toBe(true);
    await clusters.create(draft('a'));
    for await (const { object } of clusters.watch()) {
      expect(object.metadata.name).toBe('a');
      break;
    }
  });

  it('pauses longer and longer while streams end with nothing said, as behind a proxy that breaks off', async () => {
    api.fault = ({ url = '' }, response) => {
      if (url.includes('watch=true')) response.writeHead(200).end();
      return url.includes('watch=true');
    };
    const startedAt = performance.now();
    const ended = clusters.watch({ signal: over.signal }).next();
    while (watchCount() < 4) await delay(20);
    // Halves of 200, 400 and 800 ms are the least.
    expect(performance.now() - startedAt).toBeGreaterThan(690);
    over.abort();
    expect((await ended).done).toBe(true);
  });

  it('throws what trying again cannot help', async () => {
    const stranger = new CrateClient({ server: api.url });
    await expect(stranger.kind(CLUSTER).watch().next()).rejects.toMatchObject({ code: 'Unauthenticated' });
    stranger.close();
    expect(watchCount()).toBe(0);
  });

  it('throws that a kind has no watch', async () => {
    refuseWatches(405, 'MethodNotAllowed');
    await expect(clusters.watch({ signal: over.signal }).next()).rejects.toMatchObject({ code: 'MethodNotAllowed' });
  });

  it('waits for as long as a busy server asks for', async () => {
    const askedAt: number[] = [];
    refuseWatches(429, 'TooManyRequests', { 'retry-after': '2' });
    const refuse = api.fault;
    api.fault = (request, response) => {
      const isRefused = refuse(request, response);
      if (isRefused) askedAt.push(performance.now());
      return isRefused;
    };
    const ended = clusters.watch({ signal: over.signal }).next();
    while (askedAt.length < 2) await delay(20);
    over.abort();
    await ended;
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(1_900);
  });
});

describe('jsonLines', () => {
  async function* chunks(...texts: Buffer[]): AsyncGenerator<Buffer> {
    yield* texts;
  }

  it('joins what was cut, even within a character, and leaves out what has no end', async () => {
    const bytes = Buffer.from('{"a":"é"}\n\n{"b":2}\n{"c"');
    const parts = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    const seen: unknown[] = [];
    for await (const value of jsonLines(chunks(...parts))) seen.push(value);
    expect(seen).toEqual([{ a: 'é' }, { b: 2 }]);
  });
});
