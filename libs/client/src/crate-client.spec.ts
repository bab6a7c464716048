import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CrateClient, CLUSTER, PROJECT, type Cluster, type KindClient } from './index.js';
import { draft, TestApi } from './testing/api.js';

let api: TestApi;
let crate: CrateClient;
let clusters: KindClient<Cluster>;
beforeEach(async () => {
  api = await TestApi.start();
  crate = new CrateClient({ server: api.url, token: 'secret', retries: { maxDelayMs: 1_500 } });
  clusters = crate.kind(CLUSTER).in('team-a');
});
afterEach(async () => {
  crate.close();
  await api.close();
});

describe('KindClient', () => {
  it('creates, reads, changes and deletes', async () => {
    const created = await clusters.create(draft('demo'));
    expect(created.spec.controlPlane?.replicas).toBe(3);
    const changed = await clusters.patch('demo', { spec: { paused: true } });
    expect(changed.spec.paused).toBe(true);
    const operations = [{ op: 'replace', path: '/spec/paused', value: false }];
    expect((await clusters.patch('demo', operations)).spec.paused).toBe(false);
    const current = await clusters.get('demo');
    const replaced = await clusters.replace({ ...current, spec: { ...current.spec, region: 'eu-west-1' } });
    expect(replaced.spec.region).toBe('eu-west-1');
    await clusters.remove('demo');
    expect(await clusters.find('demo')).toBeUndefined();
    await clusters.remove('demo');
  });

  it.each(['', '.', '..'])('takes no name for that of the collection: "%s"', async (name) => {
    await clusters.create(draft('demo'));
    const refused = { code: 'BadRequest', message: `"${name}" is no name of an object` };
    await expect(clusters.remove(name)).rejects.toMatchObject(refused);
    await expect(clusters.get(name)).rejects.toMatchObject(refused);
    await expect(crate.kind(CLUSTER).in(name).list()).rejects.toMatchObject({ code: 'BadRequest' });
    expect(api.requests).toHaveLength(1);
    expect(await clusters.find('demo')).toBeDefined();
  });

  it('applies, owning what it states', async () => {
    await clusters.apply(draft('demo'), { fieldManager: 'one' });
    const again = await clusters.apply(draft('demo'), { fieldManager: 'one' });
    expect(again.metadata.resourceVersion).toBe((await clusters.get('demo')).metadata.resourceVersion);
    const other = { ...draft('demo'), spec: { ...draft('demo').spec, region: 'eu-west-1' } };
    await expect(clusters.apply(other, { fieldManager: 'two' })).rejects.toMatchObject({ code: 'Conflict' });
    expect((await clusters.apply(other, { fieldManager: 'two', force: true })).spec.region).toBe('eu-west-1');
  });

  it('stores nothing in a dry run', async () => {
    await clusters.create(draft('demo'), { dryRun: true });
    expect(await clusters.find('demo')).toBeUndefined();
  });

  it('lists all pages as one, and what matches', async () => {
    for (let index = 0; index < 7; index++) await clusters.create(draft(`c-${index}`, { odd: String(index % 2) }));
    expect((await clusters.page({ limit: 3 })).items).toHaveLength(3);
    expect((await clusters.list()).items).toHaveLength(7);
    expect((await clusters.list({ labelSelector: 'odd=1' })).items).toHaveLength(3);
    expect((await crate.kind(CLUSTER).list()).items).toHaveLength(7);
  });

  it('lists on one page what the server forgets between pages', async () => {
    const names = Array.from({ length: 501 }, (_, index) => `c-${index}`);
    for (const name of names) await clusters.create(draft(name));
    api.fault = ({ url = '' }, response) => {
      if (!url.includes('continue=')) return false;
      const expired = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' };
      response.writeHead(410, { 'content-type': 'application/json' }).end(JSON.stringify(expired));
      return true;
    };
    expect((await clusters.list()).items).toHaveLength(501);
    expect(api.requests.slice(-3).map((line) => /limit|continue/.exec(line)?.[0])).toEqual([
      'limit',
      'limit',
      undefined,
    ]);
  });

  it('reads subresources as they are', async () => {
    await clusters.create(draft('demo'));
    expect(await clusters.readText('demo', 'kubeconfig')).toContain('kind: Config');
  });

  it('speaks of kinds without a Project', async () => {
    const projects = crate.kind(PROJECT);
    await projects.create({ metadata: { name: 'team-a' } });
    expect((await projects.get('team-a')).metadata.namespace).toBeUndefined();
  });

  describe('of no Project', () => {
    const calls: Record<string, (everywhere: KindClient<Cluster>) => Promise<unknown>> = {
      get: (everywhere) => everywhere.get('demo'),
      find: (everywhere) => everywhere.find('demo'),
      create: (everywhere) => everywhere.create(draft('demo')),
      apply: (everywhere) => everywhere.apply(draft('demo')),
      patch: (everywhere) => everywhere.patch('demo', { spec: { paused: true } }),
      remove: (everywhere) => everywhere.remove('demo'),
      readText: (everywhere) => everywhere.readText('demo', 'kubeconfig'),
      logs: (everywhere) => everywhere.logs('demo').next(),
    };

    it.each(Object.keys(calls))('refuses to %s what is in one, and asks nobody', async (method) => {
      const call = calls[method]?.(crate.kind(CLUSTER));
      await expect(call).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringContaining('in("') });
      expect(api.requests).toEqual([]);
    });
  });

  it.each(['find', 'remove'] as const)(
    'does not take a path that is not served for an absent object: %s',
    async (method) => {
      api.fault = (_request, response) => {
        const unserved = { kind: 'Status', reason: 'NotFound', code: 404, message: 'the server could not find it' };
        response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(unserved));
        return true;
      };
      await expect(clusters[method]('demo')).rejects.toMatchObject({ code: 'NotFound' });
    },
  );

  it.each([
    { what: 'what is absent', call: () => clusters.get('nobody'), code: 'NotFound' },
    { what: 'a name that leads elsewhere', call: () => clusters.get('../../projects'), code: 'NotFound' },
    { what: 'a bad field', call: () => clusters.create({ ...draft('x'), spec: {} }), code: 'InvalidSpec' },
  ])('throws $code for $what', async ({ call, code }) => {
    await expect(call()).rejects.toMatchObject({ code });
  });

  it('names every bad field', async () => {
    const error = await clusters.create({ ...draft('x'), spec: {} }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      details: { causes: expect.arrayContaining([expect.objectContaining({ field: 'spec.region' })]) },
    });
  });
});

describe('CrateClient', () => {
  it('is refused without credentials', async () => {
    const stranger = new CrateClient({ server: api.url });
    await expect(stranger.kind(CLUSTER).list()).rejects.toMatchObject({ code: 'Unauthenticated' });
    stranger.close();
  });

  it('waits as long as a busy server asks for', async () => {
    let refusals = 2;
    api.fault = (_request, response) => {
      if (refusals-- <= 0) return false;
      response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', reason: 'TooManyRequests', code: 429, message: 'busy' }));
      return true;
    };
    const startedAt = performance.now();
    await clusters.create(draft('demo'));
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  });

  it('opens a log once a busy server lets it', async () => {
    let refusals = 1;
    api.fault = (_request, response) => {
      if (refusals-- > 0) response.writeHead(429, { 'retry-after': '1' }).end('{"reason":"TooManyRequests"}');
      else response.end('a line\n');
      return true;
    };
    const parts: string[] = [];
    for await (const part of clusters.logs('demo', { follow: true })) parts.push(part);
    expect(parts).toEqual(['a line\n']);
  });

  it('gives up on a server that asks for more patience than it has', async () => {
    api.fault = (_request, response) => {
      response.writeHead(429, { 'retry-after': '60' }).end('{"reason":"TooManyRequests"}');
      return true;
    };
    await expect(clusters.list()).rejects.toMatchObject({ code: 'TooManyRequests', details: { retryAfterMs: 60_000 } });
  });

  it('does not create twice what may have been created', async () => {
    api.fault = ({ method }, response) => {
      if (method === 'POST') response.destroy();
      return method === 'POST';
    };
    await expect(clusters.create(draft('demo'))).rejects.toMatchObject({ code: 'Unavailable' });
    expect(api.requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  describe('when an answer is lost', () => {
    /** Carries out one request of that method and breaks the connection in place of the answer. */
    function loseAnswerTo(wanted: string): void {
      let losses = 1;
      api.fault = ({ method }, response) => {
        if (method === wanted && losses-- > 0) response.end = () => response.destroy();
        return false;
      };
    }
    const takeFirst = { op: 'remove', path: '/metadata/labels/a' };
    const countOf = (method: string): number => api.requests.filter((line) => line.startsWith(method)).length;

    it('does not make the operations of a JSON patch twice', async () => {
      await clusters.create(draft('demo', { a: '1', b: '2' }));
      loseAnswerTo('PATCH');
      await expect(clusters.patch('demo', [takeFirst])).rejects.toMatchObject({ code: 'Unavailable' });
      expect(countOf('PATCH')).toBe(1);
      expect((await clusters.get('demo')).metadata.labels).toEqual({ b: '2' });
    });

    it('makes those again that are bound to a version', async () => {
      const { metadata } = await clusters.create(draft('demo', { a: '1', b: '2' }));
      loseAnswerTo('PATCH');
      const bound = { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion };
      await expect(clusters.patch('demo', [bound, takeFirst])).rejects.not.toMatchObject({ code: 'Unavailable' });
      expect(countOf('PATCH')).toBe(2);
    });

    it('makes a merge patch again', async () => {
      await clusters.create(draft('demo'));
      loseAnswerTo('PATCH');
      expect((await clusters.patch('demo', { spec: { paused: true } })).spec.paused).toBe(true);
      expect(countOf('PATCH')).toBe(2);
    });

    it('deletes again only the very object', async () => {
      const { metadata } = await clusters.create(draft('demo'));
      loseAnswerTo('DELETE');
      await expect(clusters.remove('demo')).rejects.toMatchObject({ code: 'Unavailable' });
      expect(countOf('DELETE')).toBe(1);
      loseAnswerTo('DELETE');
      await clusters.remove('demo', { preconditions: { uid: metadata.uid } });
      expect(countOf('DELETE')).toBe(3);
    });
  });

  it('reads again when a connection breaks', async () => {
    let breaks = 2;
    api.fault = (_request, response) => {
      if (breaks-- <= 0) return false;
      response.destroy();
      return true;
    };
    expect((await clusters.list()).items).toEqual([]);
  });

  it('asks for credentials once more when they are refused', async () => {
    const tokens = ['stale', 'secret'];
    const credentials = { token: () => Promise.resolve(tokens[0] ?? ''), forget: () => tokens.shift() !== undefined };
    const client = new CrateClient({ server: api.url, credentials });
    expect((await client.kind(CLUSTER).list()).items).toEqual([]);
    client.close();
  });

  it('tells what is no answer of the API', async () => {
    api.fault = (_request, response) => {
      response.writeHead(400).end('<html>');
      return true;
    };
    await expect(clusters.list()).rejects.toMatchObject({ message: expect.stringContaining('answered 400') });
  });

  it.each([
    { what: 'sends people to a page to sign in', status: 302, body: '' },
    { what: 'shows a page of its own', status: 200, body: '<html>' },
  ])('takes nothing for done where a proxy $what', async ({ status, body }) => {
    api.fault = (_request, response) => {
      response.writeHead(status, { location: '/login' }).end(body);
      return true;
    };
    const client = new CrateClient({ server: api.url, retries: { attempts: 1 } });
    const strange = client.kind(CLUSTER).in('team-a');
    const noAnswer = { code: 'Unavailable', message: expect.stringContaining(`answered ${status}`) };
    await expect(strange.get('demo')).rejects.toMatchObject(noAnswer);
    await expect(strange.remove('demo')).rejects.toMatchObject(noAnswer);
    expect(await client.isReady()).toBe(false);
    client.close();
  });

  it('takes the page of a proxy for no text, and the file of an export for one', async () => {
    const page = { 'content-type': 'text/html; charset=utf-8' };
    let headers: Record<string, string> = page;
    api.fault = (_request, response) => {
      response.writeHead(200, headers).end('<html>');
      return true;
    };
    const client = new CrateClient({ server: api.url, retries: { attempts: 1 } });
    const strange = client.kind(CLUSTER).in('team-a');
    const noAnswer = { code: 'Unavailable', message: expect.stringContaining('answered 200') };
    await expect(strange.readText('demo', 'kubeconfig')).rejects.toMatchObject(noAnswer);
    await expect(strange.logs('demo').next()).rejects.toMatchObject(noAnswer);
    headers = { ...page, 'content-disposition': 'attachment; filename="demo.html"' };
    expect(await strange.readText('demo', 'export')).toBe('<html>');
    client.close();
  });

  it('knows whether the API is ready', async () => {
    expect(await crate.isReady()).toBe(true);
    const nowhere = new CrateClient({ server: 'http://127.0.0.1:9', retries: { attempts: 1 } });
    expect(await nowhere.isReady()).toBe(false);
  });
});
