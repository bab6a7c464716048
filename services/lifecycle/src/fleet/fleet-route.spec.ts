import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FleetEvent, FleetPage } from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { unauthenticated, unavailable } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import { KubernetesRequestHandler, KindRegistry, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectAuthorizer } from '../access/project-authorizer.js';
import { ProjectMembers } from '../access/project-members.js';
import { callerOfKey } from '../api-key/api-key.caller.js';
import { aFleetCluster, at, not } from '../testing/a-fleet.js';
import { anApiKey } from '../testing/an-api-key.js';
import { aProject } from '../testing/a-project.js';
import { FleetAccess } from './fleet-access.js';
import { FleetIndex } from './fleet-index.js';
import { fleetRoute } from './fleet-route.js';

const ADMIN: Caller = { user: 'root', groups: [PLATFORM_ADMIN_GROUP] };
const VERA: Caller = { user: 'vera', groups: [] };
const NORA: Caller = { user: 'nora', groups: [] };
/** What a watch rests after a page, at least. */
const REST_MS = 500;

let index: FleetIndex;
let members: ProjectMembers;
let caller: Caller | undefined;
let server: Server;
let handler: KubernetesRequestHandler;
let open: IncomingMessage[];
let uptime: () => number;
let moving: AbortController;
beforeEach(async () => {
  [caller, open, uptime] = [ADMIN, [], (): number => performance.now()];
  moving = new AbortController();
  index = new FleetIndex({ uptime: () => uptime() });
  members = new ProjectMembers();
  members.replace([team('team-a', 'vera'), team('team-b', 'bob')]);
  members.confirm(Infinity);
  const authenticate = (): Promise<Caller> =>
    caller ? Promise.resolve(caller) : Promise.reject(unauthenticated('Unauthorized'));
  const access = new FleetAccess(new ProjectAuthorizer(members), index.labels.project);
  const logger = new InMemoryLogger();
  const kinds = new KindRegistry();
  const store = new InMemoryResourceStore();
  handler = new KubernetesRequestHandler({
    router: new LocalResourceRouter(kinds, new LocalResourceApi({ store, kinds })),
    authenticate,
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger,
    extraRoutes: [fleetRoute({ index, access, authenticate, moved: moving.signal, logger, lookAgainMs: 20 })],
  });
  server = createServer((incoming, response) => void handler.handle(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const response of open) response.destroy();
  handler.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function team(name: string, viewer: string): ReturnType<typeof aProject> {
  return aProject(name, { members: [{ kind: 'User', name: viewer, role: 'viewer' }] });
}

/** When it was known as a whole, by `uptime`; by default that is never too long ago. */
function fill(confirmedAt = Infinity): void {
  index.put(aFleetCluster({ name: 'one', project: 'team-a' }));
  index.put(aFleetCluster({ name: 'two', project: 'team-b', spec: { region: 'eu-west-1' } }));
  index.put(aFleetCluster({ name: 'three', project: 'team-b', conditions: [not('InSync', 'OnHold', '03:00')] }));
  index.confirm('7', confirmedAt);
}

async function sent(query: string, method = 'GET'): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const path = `/fleet/clusters${query}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, path, method, agent: false }, resolve).on('error', reject).end();
  });
  open.push(response);
  return response;
}

interface Answer {
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: FleetPage & { readonly message: string; readonly details?: { readonly causes?: readonly object[] } };
}

async function get(query = '', method = 'GET'): Promise<Answer> {
  const response = await sent(query, method);
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { code: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) as Answer['body'] };
}

const namesOf = ({ rows }: FleetPage): readonly string[] => rows.map(({ name }) => name);

describe('a page', () => {
  it('shows platform administrators all, and what needs them first', async () => {
    fill();
    const { code, body, headers } = await get();
    expect([code, namesOf(body), body.total, body.revision]).toEqual([200, ['three', 'one', 'two'], 3, '7']);
    expect(headers['cache-control']).toBe('no-cache, private');
  });

  it('shows members their own Projects, and leaks nothing of others, also when asked for by name', async () => {
    fill();
    caller = VERA;
    for (const query of ['', '?project=team-b', '?project=team-a,team-b', '?q=three', '?region=eu-west-1']) {
      const { code, body } = await get(query);
      expect([code, body.total]).toEqual([200, 1]);
      expect(JSON.stringify(body)).not.toMatch(/two|three|team-b|eu-west-1|OnHold/);
    }
    expect(namesOf((await get()).body)).toEqual(['one']);
    expect((await get('?project=team-b')).body.rollup).toEqual((await get('?project=team-none')).body.rollup);
  });

  it('is empty for whoever belongs to nothing', async () => {
    fill();
    caller = NORA;
    const { code, body } = await get();
    expect([code, body.total, body.matching, body.rows]).toEqual([200, 0, 0, []]);
  });

  it('keeps API keys to their Project and their scope', async () => {
    fill();
    const key = (scope?: object): Caller =>
      callerOfKey(anApiKey({ role: 'viewer', ...(scope ? { scope } : {}) }), 'abcdefgh');
    caller = key();
    expect(namesOf((await get()).body)).toEqual(['one']);
    caller = key({ resources: ['clusters'], verbs: ['list'] });
    expect((await get()).code).toBe(200);
    expect((await get('?watch=False')).code).toBe(200);
    expect(await get('?watch=true')).toMatchObject({ code: 403 });
    caller = key({ resources: ['plans'] });
    const refused = await get();
    expect([refused.code, refused.body.message]).toEqual([403, expect.stringContaining('Not in the scope of the key')]);
  });

  it('is refused while the fleet is not known, with a time to come back', async () => {
    index.put(aFleetCluster());
    const { code, headers, body } = await get();
    expect([code, headers['retry-after'], body.message]).toEqual([503, '1', 'The fleet is being read, try again']);
    expect((await get('?watch=true')).code).toBe(503);
    index.confirm('1', Infinity);
    expect((await get()).code).toBe(200);
  });

  it('names every parameter that is wrong', async () => {
    fill();
    const { code, body } = await get('?limit=0&sort=colour&colour=blue');
    expect(code).toBe(400);
    expect(body.details?.causes).toMatchObject([{ field: 'colour' }, { field: 'sort' }, { field: 'limit' }]);
    expect((await get('?watch=true&timeoutSeconds=x')).code).toBe(400);
  });

  it('is read only', async () => {
    fill();
    const { code, headers } = await get('', 'POST');
    expect([code, headers.allow]).toEqual([405, 'GET']);
  });

  it('asks who it is', async () => {
    fill();
    caller = undefined;
    expect((await get()).code).toBe(401);
  });
});

/** Lines of a watch as they come. */
class Watcher {
  readonly events: FleetEvent[] = [];
  hasEnded = false;

  private constructor(readonly response: IncomingMessage) {
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      this.events.push(...lines.map((line) => JSON.parse(line) as FleetEvent));
    });
    response.on('close', () => (this.hasEnded = true));
  }

  static async open(query = ''): Promise<Watcher> {
    return new Watcher(await sent(`?watch=true${query}`));
  }

  get pages(): readonly FleetPage[] {
    return this.events.flatMap((event) => (event.type === 'PAGE' ? [event.page] : []));
  }

  async until(names: readonly string[]): Promise<void> {
    await eventually(() => expect(namesOf(this.pages.at(-1) ?? ({ rows: [] } as unknown as FleetPage))).toEqual(names));
  }
}

describe('a watch', () => {
  it('begins with the page, and has it again when something on it changed', async () => {
    fill();
    const watcher = await Watcher.open('&project=team-a');
    await watcher.until(['one']);
    expect(watcher.response.headers).toMatchObject({ 'content-type': 'application/json', 'x-accel-buffering': 'no' });
    index.put(aFleetCluster({ name: 'four', project: 'team-a' }));
    await watcher.until(['four', 'one']);
    index.remove(aFleetCluster({ name: 'one', project: 'team-a' }));
    await watcher.until(['four']);
    expect(watcher.pages).toHaveLength(3);
    expect(Object.keys(watcher.pages[1] ?? {})).toEqual(Object.keys((await get()).body));
  });

  it('says nothing of changes that are not on it', async () => {
    fill();
    const watcher = await Watcher.open('&project=team-a');
    const other = await Watcher.open('&project=team-b');
    await other.until(['three', 'two']);
    index.put(aFleetCluster({ name: 'two', project: 'team-b', spec: { paused: true } }));
    await eventually(() => expect(other.pages.at(-1)?.rollup.health.Paused).toBe(1));
    index.put(aFleetCluster({ name: 'two', project: 'team-b' }));
    await eventually(() => expect(other.pages.at(-1)?.rollup.health.Paused).toBe(0));
    expect([other.pages.length, watcher.pages.length]).toEqual([3, 1]);
  });

  it('gathers what changes in quick succession', async () => {
    fill();
    const watcher = await Watcher.open();
    await watcher.until(['three', 'one', 'two']);
    const begun = performance.now();
    for (let turn = 0; turn < 200; turn += 1) {
      index.put(aFleetCluster({ name: 'one', project: 'team-a', status: { nodes: { ready: turn, desired: 5 } } }));
      if (turn % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => expect(watcher.pages.at(-1)?.rows.map(({ nodes }) => nodes.ready)).toContain(199));
    // Besides the first, one at once, and one for each rest that had the time to end since.
    const rests = Math.ceil((performance.now() - begun) / REST_MS);
    expect(watcher.pages.length).toBeLessThanOrEqual(2 + rests);
  });

  it('shows less to whoever is put out of a Project, and more to whoever comes in', async () => {
    fill();
    caller = VERA;
    const watcher = await Watcher.open();
    await watcher.until(['one']);
    members.set(team('team-b', 'vera'));
    index.put(aFleetCluster({ name: 'one', project: 'team-a', status: { version: 'v1.30.8' } }));
    await watcher.until(['three', 'one', 'two']);
    members.set(team('team-a', 'nobody'));
    index.put(aFleetCluster({ name: 'one', project: 'team-a' }));
    await watcher.until(['three', 'two']);
  });

  it('ends when its reader signs out', async () => {
    fill();
    const watcher = await Watcher.open();
    await watcher.until(['three', 'one', 'two']);
    caller = undefined;
    await eventually(() => expect(watcher.hasEnded).toBe(true));
  });

  it('ends after the time that was asked for, and when the server closes', async () => {
    fill();
    const timed = await Watcher.open('&timeoutSeconds=1');
    const other = await Watcher.open();
    await eventually(() => expect(timed.hasEnded).toBe(true));
    expect(other.hasEnded).toBe(false);
    handler.close();
    await eventually(() => expect(other.hasEnded).toBe(true));
  });

  it('ends once the installation has moved, and whoever comes back is told where to', async () => {
    fill();
    const watcher = await Watcher.open();
    await watcher.until(['three', 'one', 'two']);
    moving.abort(unavailable('This installation has moved to https://there.example.com', { reason: 'Moved' }));
    await eventually(() => expect(watcher.hasEnded).toBe(true));
    for (const query of ['', '?watch=true']) {
      const { code, body } = await get(query);
      expect([code, body.message]).toEqual([503, 'This installation has moved to https://there.example.com']);
    }
  });

  it('stands through moments in which nothing is known, without saying that all is well', async () => {
    let now = index.uptime();
    uptime = () => now;
    fill(now);
    const watcher = await Watcher.open('&project=team-a');
    await watcher.until(['one']);
    now += 100_000;
    index.put(aFleetCluster({ name: 'seven', project: 'team-a' }));
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([watcher.events.length, watcher.hasEnded]).toEqual([1, false]);
    now += 1;
    index.confirm('9', now);
    index.put(aFleetCluster({ name: 'eight', project: 'team-a', metadata: { creationTimestamp: at('01:00') } }));
    await watcher.until(['eight', 'one', 'seven']);
  });
});
