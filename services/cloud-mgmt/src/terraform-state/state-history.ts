import { toTimestamp } from '@crate/api';
import { invalidSpec, notFound, PlatformError } from '@crate/errors';
import { PROVIDERS } from '@crate/infra-aws';
import { nameSome } from '@crate/reconcile';
import { secretDamageOf, type SecretStore, type SecretVersion } from '@crate/secrets';
import { stateConflict, type StateComparison } from '@crate/service-host';
import { parseState, stateDifference, type TerraformState } from '@crate/terraform';
import type { TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import { isUnreadable, stateDamaged } from './state-damage.js';
import { editedStateFacts, nextEdit, STATE_KIND, type StateEdit } from './state-facts.js';
import type { LockView } from './lock-view.js';
import { requireQuiet, type HeldLock, type Quiet, type StateLocks } from './state-locks.js';

/** Comes with Terraform itself, and does nothing to anything. */
const BUILT_IN = 'terraform.io/builtin/terraform';

/** A version with what is in it. */
export interface OpenedState extends TerraformState {
  readonly version: SecretVersion;
}

/** Whose state is meant. */
export interface StateOwner {
  readonly uid: string;
  /** Serial that the Infrastructure knows to have been stored. */
  readonly knownSerial: number;
}

/**
 * What is stored in quiet is refused where the quiet was over before: the database ends that of a process that stands still. Runs since have
 * stored something, or have a newer epoch.
 */
interface Turn {
  readonly epoch: bigint;
  /** Serial of the newest version as it began. */
  readonly after: number;
}

export interface StateHistoryParts {
  readonly secrets: SecretStore;
  readonly runs: Pick<TerraformRunRepository, 'recordEdit' | 'now'>;
  readonly locks: Pick<StateLocks, 'find' | 'whileQuiet'>;
  readonly view: Pick<LockView, 'of'>;
}

/** The versions of Terraform states, and what people do with them. */
export class StateHistory {
  constructor(private readonly parts: StateHistoryParts) {}

  /** Newest first. */
  async list(uid: string): Promise<readonly SecretVersion[]> {
    return [...(await this.parts.secrets.versions(uid, STATE_KIND))].reverse();
  }

  /** Throws NotFound for a version that is not kept, Conflict (`StateTampered`) for one that was changed. */
  async open(uid: string, serial: number): Promise<OpenedState> {
    const version = (await this.list(uid)).find((each) => each.serial === serial);
    const found = version && (await this.parts.secrets.findVersion(uid, STATE_KIND, serial).catch(rethrow));
    if (!found) throw notFound('stateversions', String(serial), 'cloud.crate.dev');
    const state = parseState(found.plain);
    if (!state) throw stateDamaged('tampered');
    return { ...state, version };
  }

  /** Compares two versions; `from` is the one before. */
  async diff(uid: string, from: number, to: number): Promise<StateComparison> {
    const [older, newer] = [await this.open(uid, from), await this.open(uid, to)];
    return { ...stateDifference(older.bytes, newer.bytes), from: sideOf(older), to: sideOf(newer) };
  }

  /**
   * Puts the content of an older version in place as a new one. Throws Conflict (`StateLocked`) while anybody works on the state; a run
   * that is dead does not, or it would wait for this, when the state is damaged, and this for it; and InvalidSpec as `push` does. Gives the
   * serial of the new version.
   */
  async restore(owner: StateOwner, serial: number, edit: Omit<StateEdit, 'restored'>): Promise<number> {
    const isDead = async (held: HeldLock): Promise<boolean> => (await this.parts.view.of(held)).state === 'orphaned';
    return this.whileQuiet(owner, { isDead }, async (turn) => {
      const { bytes, lineage } = ofOurProviders(await this.open(owner.uid, serial));
      const newest = await this.newest(owner.uid);
      // Terraform itself takes a state for newer by its number.
      const above = newest?.lineage === lineage ? newest.serial : 0;
      return this.put(owner, withSerialAbove(bytes, above), { ...edit, restored: serial }, turn);
    });
  }

  /**
   * Puts a state in place that a person pushed while holding the lock `lockId`, or while nobody holds one. Throws Conflict when it is not of the
   * lineage of the newest (`StateForeign`) or not newer (`StateRolledBack`), BadRequest for what is no state, and InvalidSpec (`StateInvalid`)
   * for one with objects of other providers than that of the stack.
   */
  async push(owner: StateOwner, bytes: Uint8Array, edit: StateEdit & { readonly lockId?: string }): Promise<number> {
    const { lockId, ...why } = edit;
    const pushed = stateOf(bytes);
    return this.whileQuiet(owner, { id: lockId }, async (turn) => {
      return (await this.standing(owner.uid, pushed)) ?? this.put(owner, bytes, why, turn);
    });
  }

  /** Throws what `push` would, and gives the serial that it would; stores nothing, and does not keep others from the state meanwhile. */
  async tryPush(owner: StateOwner, bytes: Uint8Array, lockId?: string): Promise<number> {
    const pushed = stateOf(bytes);
    await requireQuiet(await this.parts.locks.find(owner.uid), { id: lockId });
    const standing = await this.standing(owner.uid, pushed);
    const [newest] = await this.list(owner.uid);
    return standing ?? Math.max(newest?.serial ?? 0, owner.knownSerial) + 1;
  }

  /** Serial of the newest version when it is this very state. Throws Conflict for one that may not follow it. */
  private async standing(uid: string, pushed: TerraformState): Promise<number | undefined> {
    const newest = await this.newest(uid);
    if (!newest) return undefined;
    if (Buffer.compare(newest.bytes, pushed.bytes) === 0) return newest.version.serial;
    if (newest.lineage !== pushed.lineage) throw refused('StateForeign', 'is of another lineage than');
    if (newest.serial >= pushed.serial) throw refused('StateRolledBack', 'is not newer than');
    return undefined;
  }

  /** The newest version; one that nobody can read has no say. */
  private async newest(uid: string): Promise<OpenedState | undefined> {
    const [version] = await this.list(uid);
    if (!version) return undefined;
    return this.open(uid, version.serial).catch((error: unknown) => {
      if (isUnreadable(error)) return undefined;
      throw error;
    });
  }

  private async whileQuiet<T>({ uid }: StateOwner, quiet: Quiet, work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.parts.locks.whileQuiet(uid, quiet, async (epoch) => {
      const [newest] = await this.list(uid);
      return work({ epoch, after: newest?.serial ?? 0 });
    });
  }

  private async put(owner: StateOwner, bytes: Uint8Array, edit: StateEdit, turn: Turn): Promise<number> {
    // First: a run that looks once too often does no harm.
    await this.parts.runs.recordEdit(owner.uid, turn.epoch);
    const now = await this.parts.runs.now();
    return this.parts.secrets.put(owner.uid, STATE_KIND, bytes, {
      heal: { above: owner.knownSerial },
      ...turn,
      facts: (_serial, before) => editedStateFacts(bytes, nextEdit(before, now), edit),
    });
  }
}

function sideOf({ version, lineage, serial }: OpenedState): StateComparison['from'] {
  return { serial: version.serial, lineage, terraformSerial: serial, createdAt: toTimestamp(version.createdAt) };
}

function withSerialAbove(bytes: Uint8Array, above: number): Uint8Array {
  const state = JSON.parse(Buffer.from(bytes).toString('utf8')) as { serial: number };
  return Buffer.from(`${JSON.stringify({ ...state, serial: Math.max(state.serial, above) + 1 }, undefined, 2)}\n`);
}

function rethrow(error: unknown): never {
  const damage = secretDamageOf(error);
  throw damage ? stateDamaged(damage, error) : error;
}

function stateOf(bytes: Uint8Array): TerraformState {
  const state = parseState(bytes);
  if (state) return ofOurProviders(state);
  throw new PlatformError('BadRequest', 'The body is no Terraform state of version 4', {
    details: { causes: [{ reason: 'StateInvalid', message: 'Send what "terraform state pull" gives' }] },
  });
}

/** So that people learn of it at once. Nothing is installed for the sake of a state, whatever is stored. */
function ofOurProviders<S extends TerraformState>(state: S): S {
  const foreign = state.providers.filter((provider) => !PROVIDERS.includes(provider) && provider !== BUILT_IN);
  if (foreign.length === 0) return state;
  const message = `names providers that the stack does not have: ${nameSome(foreign)}`;
  throw invalidSpec(`The state ${message}`, [{ reason: 'StateInvalid', message, field: 'state' }], {
    reason: 'StateInvalid',
    remedy: 'Take their objects out with "terraform state rm"',
  });
}

function refused(reason: string, how: string): PlatformError {
  return stateConflict(reason, `The state that was pushed ${how} the stored one`, {
    remedy: 'Begin with "terraform state pull"; older versions are put in place with "crate state restore"',
    retry: 'never',
  });
}
