import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { INFRASTRUCTURE, type KubeList, type KubeObject, type WatchEvent } from '@crate/api';
import { PlatformError } from '@crate/errors';
import {
  ReadOnlyApi,
  ResourceRouter,
  type CallContext,
  type Caller,
  type KindInfo,
  type ResourceRef,
  type Route,
  type SubresourceWrite,
} from '@crate/resource-client';
import { kindInfoOf, KubernetesRequestHandler } from '@crate/resource-server';
import { InMemoryLogger } from '@crate/telemetry';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { breakGlass } from './break-glass.js';
import { terraformRoute } from './terraform-route.js';

const ADMIN: Caller = { user: 'ada', groups: ['platform-admin'] };
const INFO = {
  ID: 'lock-1',
  Operation: 'OperationTypePlan',
  Info: '',
  Who: 'ada@laptop',
  Version: '1.11.4',
  Created: '',
};
const packed = (text: string): string => gzipSync(text).toString('base64');
const LOCKED = new PlatformError('Conflict', 'Locked by vera', { details: { reason: 'StateLocked', remedy: 'Wait' } });

/** Notes what it is asked, and answers what it was told to. */
class FakeStates extends ReadOnlyApi {
  readonly calls: unknown[] = [];
  answers: Record<string, unknown> = {};
  failure: Error | undefined;

  override get(): Promise<KubeObject> {
    return Promise.reject(new Error('Nobody asks for it'));
  }

  override list(): Promise<KubeList> {
    return Promise.reject(new Error('Nobody asks for it'));
  }

  override watch(): AsyncIterable<WatchEvent> {
    throw new Error('Nobody asks for it');
  }

  override readSubresource(ref: ResourceRef, subresource: string, { caller }: CallContext): Promise<unknown> {
    this.calls.push([caller.user, 'get', `${ref.namespace}/${ref.name}`, subresource]);
    return Promise.resolve(this.answers[subresource] ?? {});
  }

  override writeSubresource(ref: ResourceRef, part: string, { verb, body }: SubresourceWrite): Promise<unknown> {
    this.calls.push([verb, `${ref.namespace}/${ref.name}`, part, body]);
    return this.failure ? Promise.reject(this.failure) : Promise.resolve({});
  }
}

class OneKind extends ResourceRouter {
  constructor(private readonly api: FakeStates) {
    super();
  }

  override kinds(): readonly KindInfo[] {
    return [kindInfoOf(INFRASTRUCTURE)];
  }

  override find(): Route {
    return { kind: kindInfoOf(INFRASTRUCTURE), api: this.api };
  }
}

let states: FakeStates;
let caller: Caller;
let server: Server;
beforeEach(async () => {
  states = new FakeStates();
  caller = ADMIN;
  const router = new OneKind(states);
  const handler = new KubernetesRequestHandler({
    router,
    authenticate: () => Promise.resolve(caller),
    authorize: () => Promise.resolve(),
    version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
    logger: new InMemoryLogger(),
    extraRoutes: [terraformRoute(router, breakGlass(['rescue', 'system:apikeys:team-a']))],
  });
  server = createServer((incoming, response) => void handler.handle(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

async function send(
  method: string,
  { body, query = '', path = '/terraform/team-a/demo' }: { body?: string; query?: string; path?: string } = {},
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const call = request({ port, method, path: `${path}${query}`, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    call.on('error', reject).end(body);
  });
}

describe('the HTTP backend', () => {
  it('gives the state as it is, kept by no cache, and 204 while there is none', async () => {
    expect(await send('GET')).toMatchObject({ status: 204, text: '' });
    states.answers['state'] = { serial: 3, state: packed('{"version":4}') };
    const { status, text, headers } = await send('GET');
    expect([status, text, headers['cache-control']]).toEqual([200, '{"version":4}', 'no-store']);
    expect(states.calls.at(-1)).toEqual(['ada', 'get', 'team-a/demo', 'state']);
  });

  it('stores what is sent, under the lock that is named', async () => {
    expect((await send('POST', { body: '{"version":4}', query: '?ID=lock-1' })).status).toBe(200);
    expect((await send('POST', { body: '{}' })).status).toBe(200);
    expect(states.calls).toEqual([
      ['update', 'team-a/demo', 'state', { state: packed('{"version":4}'), lockId: 'lock-1' }],
      ['update', 'team-a/demo', 'state', { state: packed('{}') }],
    ]);
  });

  it('locks and unlocks, also without an id as force-unlock does', async () => {
    for (const method of ['LOCK', 'UNLOCK'])
      expect((await send(method, { body: JSON.stringify(INFO) })).status).toBe(200);
    expect((await send('UNLOCK')).status).toBe(200);
    expect(states.calls).toEqual([
      ['create', 'team-a/demo', 'lock', { id: 'lock-1', operation: 'OperationTypePlan', info: 'ada@laptop' }],
      ['create', 'team-a/demo', 'unlock', { id: 'lock-1' }],
      ['create', 'team-a/demo', 'unlock', {}],
    ]);
  });

  it('answers 423 with the holder, and whether it lives', async () => {
    states.failure = LOCKED;
    const held = { id: 'run-1', holder: 'cloud-mgmt@host', operation: 'apply', since: 'T', epoch: '5', info: '' };
    states.answers['lock'] = { ...held, state: 'orphaned' };
    const { status, text } = await send('LOCK', { body: JSON.stringify(INFO) });
    expect(status).toBe(423);
    expect(JSON.parse(text)).toMatchObject({
      ID: 'run-1 (held by cloud-mgmt@host for apply since T; orphaned: the run has died, and the platform takes over)',
      LockID: 'run-1',
      Who: 'cloud-mgmt@host',
      Operation: 'apply',
      Created: 'T',
      State: 'orphaned',
      Epoch: '5',
      Message: 'Locked by vera',
      Remedy: 'Wait',
    });
  });

  it.each([
    { held: { state: 'live' }, want: 'live: wait until the run is over' },
    { held: { state: 'live', isByHand: true }, want: 'live' },
    {
      held: { state: 'orphaned', isByHand: true, lastSeen: 'T2' },
      want: 'orphaned: nothing was heard of the holder since T2; take the lock with terraform force-unlock',
    },
  ])('says beside the ID of the lock, which Terraform prints: $want', async ({ held, want }) => {
    states.failure = LOCKED;
    states.answers['lock'] = { id: 'l', holder: 'vera', operation: 'plan', since: 'T', ...held };
    const { text } = await send('LOCK', { body: JSON.stringify(INFO) });
    expect(JSON.parse(text)).toMatchObject({ ID: `l (held by vera for plan since T; ${want})` });
  });

  it.each([
    { name: 'another method', method: 'DELETE', want: 405 },
    { name: 'no lock info', method: 'LOCK', want: 400 },
    { name: 'lock info that is no JSON', method: 'LOCK', body: '{', want: 400 },
    { name: 'lock info without an id', method: 'UNLOCK', body: '{"Who":"x"}', want: 400 },
    { name: 'a name that is no text', method: 'GET', path: '/terraform/team-a/%ff', want: 405 },
    { name: 'more of a path', method: 'GET', path: '/terraform/team-a/demo/more', want: 404 },
  ])('answers $want to $name', async ({ method, want, ...rest }) => {
    expect((await send(method, rest)).status).toBe(want);
    expect(states.calls).toEqual([]);
  });

  it('passes on what the owner refuses', async () => {
    states.failure = new PlatformError('Conflict', 'Of another lineage', { details: { reason: 'StateForeign' } });
    expect(await send('POST', { body: '{}' })).toMatchObject({ status: 409 });
    states.failure = LOCKED;
    expect((await send('UNLOCK')).status).toBe(409);
  });
});

describe('breaking the glass', () => {
  const key = (project: string): Caller => ({
    user: `system:apikey:${project}:tool`,
    groups: [`system:apikeys:${project}`],
    extra: { 'authentication.crate.dev/project': [project] },
  });
  it.each([
    { name: 'a platform administrator', who: ADMIN, want: 204 },
    { name: 'a member of a group that was named', who: { user: 'vera', groups: ['rescue'] }, want: 204 },
    { name: 'an administrator of the Project', who: { user: 'hugo', groups: ['team-a'] }, want: 403 },
    { name: 'a key of the Project, which was named', who: key('team-a'), want: 204 },
    { name: 'a key of another Project', who: key('team-b'), want: 403 },
    {
      name: 'a key whose scope is something else',
      who: { ...key('team-a'), extra: { ...key('team-a').extra, 'authentication.crate.dev/resources': ['clusters'] } },
      want: 403,
    },
  ])('is answered $want for $name', async ({ who, want }) => {
    caller = who;
    expect((await send('GET')).status).toBe(want);
  });

  it('of another Project is not for a key, whatever its groups', async () => {
    caller = { ...key('team-b'), groups: ['rescue'] };
    expect((await send('GET')).status).toBe(403);
  });
});
