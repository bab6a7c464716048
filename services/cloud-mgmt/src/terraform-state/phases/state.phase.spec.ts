import { InMemoryEventRecorder, settled } from '@crate/reconcile';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { infrastructureStatus } from '../../infrastructure/infrastructure.status.js';
import { openScope, type InfrastructureScope } from '../../infrastructure/infrastructure.scope.js';
import { StateKeeper } from '../../terraform-run/state-keeper.js';
import { aContext, InMemoryCloud } from '../../testing/in-memory-cloud.js';
import { LockView } from '../lock-view.js';
import { stateDamaged } from '../state-damage.js';
import { stateLockPhase, StatePhase } from './state.phase.js';

const STATE = Buffer.from('{"version":4,"serial":3,"lineage":"a","outputs":{},"resources":[]}');

let cloud: InMemoryCloud;
let states: StateKeeper;
let scope: InfrastructureScope;
let uid: string;
let events: InMemoryEventRecorder;
let persisted: unknown[];
let isRecordWritten: boolean;
beforeEach(async () => {
  cloud = new InMemoryCloud();
  states = new StateKeeper(cloud.secrets);
  events = new InMemoryEventRecorder();
  persisted = [];
  isRecordWritten = false;
  const persist = (): Promise<void> => Promise.resolve(void persisted.push(scope.lock));
  scope = openScope(await cloud.ensureInfrastructure(), { persist });
  uid = scope.infrastructure.metadata.uid;
});

const records = { isWritten: () => Promise.resolve(isRecordWritten) };

async function run(keeper: Pick<StateKeeper, 'open'> = states): ReturnType<StatePhase['run']> {
  const { locks } = cloud.runs;
  const view = new LockView({ locks, runs: cloud.runs, silentAfterMs: 142_000 });
  return new StatePhase({ states: keeper, locks, view, records, events }).run(scope, aContext({ epoch: 7n }));
}

function withKnownSerial(stateSerial: number): void {
  scope = openScope({ ...scope.infrastructure, status: { stateSerial } });
}

describe('StatePhase', () => {
  it('is content where nothing was stored yet, and with what was stored last', async () => {
    expect(await run()).toEqual(settled);
    expect(scope.stored).toBeUndefined();
    await states.storing(uid, 1n)(STATE);
    withKnownSerial(1);
    expect(await run()).toEqual(settled);
    expect(scope.stored).toMatchObject({ serial: 1, plain: STATE });
    expect(scope.lock).toBeUndefined();
  });

  it('keeps no state for a deletion, which waits and reads it by itself', async () => {
    await states.storing(uid, 1n)(STATE);
    const { metadata } = scope.infrastructure;
    scope = openScope({
      ...scope.infrastructure,
      metadata: { ...metadata, deletionTimestamp: '2026-11-22T06:25:04Z' },
    });
    expect(await run()).toEqual(settled);
    expect(scope.stored).toBeUndefined();
  });

  it.each([
    { name: 'the store is behind what the Infrastructure knows', stored: true, known: 2 },
    { name: 'nothing is stored of what the Infrastructure knows', stored: false, known: 1 },
  ])('stops when $name', async ({ stored, known }) => {
    if (stored) await states.storing(uid, 1n)(STATE);
    withKnownSerial(known);
    expect(await run()).toMatchObject({ kind: 'waiting', reason: 'StateRolledBack' });
    expect(scope.failure).toMatchObject({
      code: 'StateRolledBack',
      retryable: false,
      remedy: expect.stringContaining('crate state restore'),
    });
  });

  it('misses no state in a deletion that had forgotten it when it died, and only there', async () => {
    withKnownSerial(5);
    isRecordWritten = true;
    expect(await run()).toMatchObject({ reason: 'StateRolledBack' });

    const { metadata } = scope.infrastructure;
    const going = { ...scope.infrastructure, metadata: { ...metadata, deletionTimestamp: '2026-11-22T06:25:04Z' } };
    scope = openScope(going);
    expect(await run()).toEqual(settled);

    isRecordWritten = false;
    expect(await run()).toMatchObject({ reason: 'StateRolledBack' });
  });

  it.each([
    { damage: 'tampered', want: 'StateTampered' },
    { damage: 'foreign', want: 'StateForeign' },
    { damage: 'rolledBack', want: 'StateRolledBack' },
  ] as const)('names a state that is $damage', async ({ damage, want }) => {
    expect(await run({ open: () => Promise.reject(stateDamaged(damage)) })).toMatchObject({ reason: want });
    const pass = { ok: true, outcome: { kind: 'waiting', reason: want, retryAfterMs: 0 } } as const;
    const status = infrastructureStatus(scope, pass, { now: new Date(0), traceId: 't', warnAfterMs: 1 });
    expect(status.failure?.code).toBe(want);
    expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False', reason: want });
  });

  it('does not take a store that is away for a damage', async () => {
    await expect(run({ open: () => Promise.reject(new Error('The database is away')) })).rejects.toThrow('away');
    expect(scope.failure).toBeUndefined();
  });

  it('shows a run that died as orphaned, before it is taken over', async () => {
    await cloud.runs.open({ id: 'r', infrastructureUid: uid, kind: 'destroy', epoch: 6n, generation: 1 });
    expect(await run()).toEqual(settled);
    const orphaned = { operation: 'destroy', state: 'orphaned', epoch: '6' };
    expect(persisted).toMatchObject([orphaned]);
    expect(await stateLockPhase(scope)).toEqual(settled);
    expect(events.events).toMatchObject([
      { reason: 'StateLockOrphaned', message: expect.stringMatching(/cloud-mgmt@.+ for destroy since 2.+takes over/) },
    ]);

    // A pass that cannot take over, as beside a damaged state, has nothing new to tell.
    const { infrastructure } = scope;
    scope = openScope({ ...infrastructure, status: { ...infrastructure.status, lock: scope.lock! } });
    await run();
    expect([persisted.length, events.events.length]).toEqual([1, 1]);
  });

  it.each([
    { name: 'waits while a person holds the lock', isApplied: false, waits: true },
    { name: 'has nothing to wait for when there is nothing to do', isApplied: true, waits: false },
  ])('$name', async ({ isApplied, waits }) => {
    const lock = { infrastructureUid: uid, id: 'l', holder: 'vera', operation: 'OperationTypeApply', info: '' };
    await cloud.runs.locks.acquire(lock);
    await run();
    scope.isApplied = isApplied;
    expect((await stateLockPhase(scope)).kind).toBe(waits ? 'waiting' : 'settled');
    expect(scope.lock).toMatchObject({ holder: 'vera', state: 'live' });
    expect(scope.failure?.message).toEqual(
      waits ? expect.stringContaining('locked by vera for OperationTypeApply since 2') : undefined,
    );
  });

  it('says of a person who was not heard of for long that the lock is orphaned, and how it is taken', async () => {
    const { locks } = cloud.runs;
    await locks.acquire({ infrastructureUid: uid, id: 'l', holder: 'vera', operation: 'OperationTypeApply', info: '' });
    const now = (): Promise<Date> => Promise.resolve(new Date(Date.now() + 7_200_000));
    const dated = { listOpen: (of: string) => cloud.runs.listOpen(of), now };
    const view = new LockView({ locks, runs: dated, silentAfterMs: 142_000 });
    await new StatePhase({ states, locks, view, records, events }).run(scope, aContext({ epoch: 7n }));
    expect((await stateLockPhase(scope)).kind).toBe('waiting');
    expect(scope.lock).toMatchObject({ holder: 'vera', state: 'orphaned', lastSeen: expect.any(String) });
    expect(scope.failure?.remedy).toMatch(/orphaned.*since 2.*crate state unlock/);
  });
});
