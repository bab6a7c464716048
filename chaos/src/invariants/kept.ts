import type { Acknowledged } from '../users/ledger.js';
import type { KubeObject } from '../world/kube-object.js';
import { isRead } from '../world/gap.js';
import type { World } from '../world/world.js';
import type { Invariant } from './invariant.js';

const READABLE = 'acknowledged writes are readable';

/** 2: an older state that somebody was told is in place again is a version that says so, and has the content of the older one. */
export const restoredStatesStand: Invariant = (world) =>
  world.acknowledged
    .filter(({ what }) => what === 'restored')
    .flatMap((entry) => restorationOf(world, entry) ?? [])
    .map((message) => ({ invariant: READABLE, message }));

function restorationOf({ states }: World, { name, owner, spec }: Acknowledged): string | undefined {
  const { serial, restoredFrom } = spec as { readonly serial: number; readonly restoredFrom: number };
  const all = states.filter((state) => state.owner === owner);
  const stored = all.find(({ version }) => version === serial);
  // The oldest versions are forgotten in their order, and with the Infrastructure all of them.
  if (!stored)
    return all.some(({ version }) => version < serial) ? `State ${name} was put in place and is not there` : undefined;
  if (stored.restored !== restoredFrom) return `State ${name} is not version ${restoredFrom}, put in place again`;
  const source = all.find(({ version }) => version === restoredFrom);
  if (!source || source.substance === stored.substance) return undefined;
  return `State ${name} has another content than version ${restoredFrom}`;
}

/** 2: the credentials in use are those of the last write that an account has had, and are the ones that were sent with it. */
export const credentialsStand: Invariant = (world) =>
  world.acknowledged
    .filter(({ accessKeyId }) => accessKeyId !== undefined)
    .flatMap((entry) => credentialsOf(world, entry) ?? [])
    .map((message) => ({ invariant: READABLE, message }));

function credentialsOf(world: World, entry: Acknowledged): string | undefined {
  const account = world.accounts.find(({ metadata }) => metadata.uid === entry.uid);
  if (!account) return undefined;
  const inUse = fingerprintOf(account);
  const writes = (world.changes['CloudAccount'] ?? []).filter(({ uid }) => uid === entry.uid);
  const last = writes.at(-1);
  const told = fingerprintOf(last?.object ?? entry);
  const isNewest = isRead(world, 'CloudAccount', { after: last?.revision ?? entry.revision, upTo: Infinity });
  const what = `CloudAccount ${entry.name}`;
  if (isNewest && inUse !== told) return `${what} uses credentials ${inUse}, and was told ${told} last`;
  const owner = `cloudaccount/${account.metadata.namespace}/${entry.name}`;
  const stored = world.credentials.find((each) => each.owner === owner && each.fingerprint === inUse);
  if (!stored) return `${what} uses credentials ${inUse}, which are not stored`;
  if (inUse !== fingerprintOf(entry) || stored.accessKeyId === entry.accessKeyId) return undefined;
  return `${what} uses ${stored.accessKeyId} where ${entry.accessKeyId} was acknowledged`;
}

function fingerprintOf({ spec }: Pick<KubeObject, 'spec'>): string {
  return String(spec?.['credentialsFingerprint']);
}
