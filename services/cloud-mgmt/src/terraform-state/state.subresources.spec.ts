import type { Infrastructure } from '@crate/api';
import type { CallContext, ResourceRef } from '@crate/resource-client';
import type { SubresourceHandler } from '@crate/resource-server';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { InMemoryCloud } from '../testing/in-memory-cloud.js';
import { LockView } from './lock-view.js';
import { packState } from './packed-state.js';
import { StateHistory } from './state-history.js';
import { stateSubresources, type StateChange } from './state.subresources.js';

const ADA: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const EVE: CallContext = { caller: { user: 'eve', groups: [] }, traceId: 'trace' };

let cloud: InMemoryCloud;
let infrastructure: Infrastructure;
let changes: StateChange[];
let handlers: Readonly<Record<string, SubresourceHandler>>;

beforeEach(async () => {
  cloud = new InMemoryCloud();
  changes = [];
  const { secrets, runs } = cloud;
  const view = new LockView({
    runs: { listOpen: (of) => runs.listOpen(of), now: () => Promise.resolve(new Date()) },
    locks: runs.locks,
    silentAfterMs: 142_000,
  });
  handlers = stateSubresources({
    states: new StateKeeper(secrets),
    history: new StateHistory({ secrets, runs, locks: runs.locks, view }),
    locks: runs.locks,
    view,
    onChange: (_, change) => Promise.resolve(void changes.push(change)),
  });
  infrastructure = await cloud.ensureInfrastructure('demo');
});

function state(serial: number, lineage = 'lineage-1', resources: readonly object[] = []): string {
  return packState(Buffer.from(JSON.stringify({ version: 4, serial, lineage, outputs: {}, resources })));
}

/** A state with an object of this provider. */
function stateOf(provider: string): string {
  return state(9, 'lineage-1', [{ mode: 'managed', type: 'a', name: 'b', provider: `provider["${provider}"]` }]);
}

async function write(name: string, body: unknown, dryRun = false, context = ADA): Promise<unknown> {
  const verb = name === 'state' ? 'update' : 'create';
  return handlers[name]?.write?.(infrastructure, {} as ResourceRef, { verb, body, dryRun }, context);
}

async function read(name: string): Promise<unknown> {
  return handlers[name]?.read?.(infrastructure, {} as ResourceRef, ADA);
}

describe('a dry run', () => {
  it('of a push says what it would be stored as, and stores nothing', async () => {
    expect(await write('state', { state: state(1) }, true)).toEqual({ serial: 1 });
    expect([await read('state'), changes]).toEqual([{}, []]);

    expect(await write('state', { state: state(1) })).toEqual({ serial: 1 });
    expect(await write('state', { state: state(1) }, true)).toEqual({ serial: 1 });
    expect(await write('state', { state: state(2) }, true)).toEqual({ serial: 2 });
    expect(await read('state')).toMatchObject({ serial: 1 });
  });

  it.each([
    { reason: 'no state', body: { state: packState(Buffer.from('{}')) }, code: 'BadRequest' },
    { reason: 'the lineage of another', body: { state: state(9, 'lineage-2') }, code: 'Conflict' },
    { reason: 'an older one', body: { state: state(1) }, code: 'Conflict' },
    { reason: 'a foreign provider', body: { state: stateOf('registry.terraform.io/some/x') }, code: 'InvalidSpec' },
    { reason: 'a registry of one’s own', body: { state: stateOf('evil.example/hashicorp/aws') }, code: 'InvalidSpec' },
    { reason: 'a lock that is not held', body: { state: state(9), lockId: 'b3a1' }, code: 'Conflict' },
  ])('of a push is refused as the push is: $reason', async ({ body, code }) => {
    await write('state', { state: state(5) });
    for (const dryRun of [true, false]) await expect(write('state', body, dryRun)).rejects.toMatchObject({ code });
  });

  it.each(['registry.terraform.io/hashicorp/aws', 'registry.opentofu.org/hashicorp/aws'])(
    'of a push takes objects of the stack’s provider: %s',
    async (provider) => expect(await write('state', { state: stateOf(provider) }, true)).toEqual({ serial: 1 }),
  );

  it('of a lock takes none', async () => {
    expect(await write('lock', { id: 'b3a1', operation: 'apply' }, true)).toMatchObject({ id: 'b3a1', holder: 'ada' });
    expect([await read('lock'), changes]).toEqual([{}, []]);

    await write('lock', { id: 'b3a1' });
    await expect(write('lock', { id: 'c4b2' }, true, EVE)).rejects.toMatchObject({ code: 'Conflict' });
    await expect(write('state', { state: state(1) }, true)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await write('lock', { id: 'b3a1' }, true)).toMatchObject({ id: 'b3a1' });
  });

  it('of an unlock leaves it to whoever has it', async () => {
    await write('lock', { id: 'b3a1' });
    await expect(write('unlock', { id: 'c4b2' }, true)).rejects.toMatchObject({ code: 'Conflict' });
    for (const body of [{ id: 'b3a1' }, {}]) expect(await write('unlock', body, true)).toEqual({});
    expect(await read('lock')).toMatchObject({ id: 'b3a1' });
    expect(changes.map(({ what }) => what)).toEqual(['locked']);
  });
});
