import {
  stateLockRequest,
  statePushRequest,
  stateUnlockRequest,
  type Infrastructure,
  type KubeObject,
} from '@crate/api';
import type { CallContext, SubresourceWrite } from '@crate/resource-client';
import type { SubresourceHandler } from '@crate/resource-server';
import { parsedBody } from '@crate/service-host';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import type { LockView } from './lock-view.js';
import { packState, unpackState } from './packed-state.js';
import type { StateHistory } from './state-history.js';
import { notTheLock, stateLocked, type HeldLock, type LockByHand, type StateLocks } from './state-locks.js';

export interface StateSubresourceParts {
  readonly states: Pick<StateKeeper, 'open'>;
  readonly history: Pick<StateHistory, 'push' | 'tryPush'>;
  readonly locks: StateLocks;
  readonly view: Pick<LockView, 'of'>;
  /** Told when the lock or the state changed hands. */
  readonly onChange: (infrastructure: Infrastructure, change: StateChange) => Promise<void>;
}

/** What a person did, for people. */
export interface StateChange {
  readonly what: 'pushed' | 'locked' | 'unlocked';
  readonly by: string;
  readonly detail: string;
}

/** `state`, `lock` and `unlock` of an Infrastructure: what the HTTP backend of Terraform stands on. A dry run checks, and changes nothing. */
export function stateSubresources(parts: StateSubresourceParts): Readonly<Record<string, SubresourceHandler>> {
  return {
    state: {
      read: (object) => readState(parts, object),
      write: (object, _ref, write, context) => push(parts, object, write, context),
    },
    lock: {
      read: (object) => readLock(parts, object),
      write: (object, _ref, write, context) => lock(parts, object, write, context),
    },
    unlock: { write: (object, _ref, write, context) => unlock(parts, object, write, context) },
  };
}

/** `state` is absent while nothing was ever stored. Throws Conflict for a damaged one: it is nothing to begin with. */
async function readState({ states }: StateSubresourceParts, { metadata, ...object }: KubeObject): Promise<unknown> {
  const stored = await states.open(metadata.uid, (object as Infrastructure).status?.stateSerial);
  return stored ? { serial: stored.serial, state: packState(stored.plain) } : {};
}

async function push(
  { history, onChange }: StateSubresourceParts,
  object: KubeObject,
  { body, dryRun }: SubresourceWrite,
  { caller }: CallContext,
): Promise<unknown> {
  const { state, lockId } = parsedBody(statePushRequest, body);
  const infrastructure = object as Infrastructure;
  const owner = { uid: object.metadata.uid, knownSerial: infrastructure.status?.stateSerial ?? 0 };
  const edit = { by: caller.user, reason: 'Pushed with terraform', ...(lockId === undefined ? {} : { lockId }) };
  const bytes = await unpackState(state);
  if (dryRun) return { serial: await history.tryPush(owner, bytes, lockId) };
  const serial = await history.push(owner, bytes, edit);
  await onChange(infrastructure, { what: 'pushed', by: caller.user, detail: `as version ${serial}` });
  return { serial };
}

async function readLock({ locks, view }: StateSubresourceParts, { metadata }: KubeObject): Promise<unknown> {
  const held = await locks.find(metadata.uid);
  return held ? shown(held, view) : {};
}

async function lock(
  { locks, view, onChange }: StateSubresourceParts,
  object: KubeObject,
  { body, dryRun }: SubresourceWrite,
  { caller }: CallContext,
): Promise<unknown> {
  const request = parsedBody(stateLockRequest, body);
  const { uid } = object.metadata;
  const wanted: LockByHand = { infrastructureUid: uid, holder: caller.user, ...request };
  if (dryRun) return shown(await wouldHold(locks, wanted), view);
  await locks.acquire(wanted);
  await onChange(object as Infrastructure, {
    what: 'locked',
    by: caller.user,
    detail: `for ${request.operation || 'no stated operation'}`,
  });
  const held = await locks.find(uid);
  return held ? shown(held, view) : {};
}

/** The lock as it would stand. Throws Conflict as taking it would. */
async function wouldHold(locks: StateLocks, wanted: LockByHand): Promise<HeldLock> {
  const held = await locks.find(wanted.infrastructureUid);
  if (held && !isOf(held, wanted.id)) throw stateLocked(held);
  const now = new Date();
  return { ...wanted, isByHand: true, epoch: undefined, since: held?.since ?? now, seenAt: now };
}

async function unlock(
  { locks, onChange }: StateSubresourceParts,
  object: KubeObject,
  { body, dryRun }: SubresourceWrite,
  { caller }: CallContext,
): Promise<unknown> {
  const { id } = parsedBody(stateUnlockRequest, body);
  const { uid } = object.metadata;
  const held = await locks.find(uid);
  const isReleased = dryRun ? held !== undefined && isOf(held, id) : await locks.release(uid, id);
  if (!isReleased) requireNone(held, id);
  if (isReleased && held && !dryRun) {
    const detail = held.holder === caller.user ? '' : `which ${held.holder} held since ${held.since.toISOString()}`;
    await onChange(object as Infrastructure, { what: 'unlocked', by: caller.user, detail });
  }
  return {};
}

/** Nothing was given back: right when nobody holds it, and no lock was meant. */
function requireNone(held: HeldLock | undefined, id: string | undefined): void {
  if (held) throw held.isByHand ? notTheLock(id ?? '') : stateLocked(held);
  if (id !== undefined) throw notTheLock(id);
}

/** A person holds it, under this id when one is named. */
function isOf(held: HeldLock, id: string | undefined): boolean {
  return held.isByHand && (id === undefined || held.id === id);
}

async function shown(held: HeldLock, view: Pick<LockView, 'of'>): Promise<unknown> {
  return { id: held.id, isByHand: held.isByHand, info: held.info, ...(await view.of(held)) };
}
