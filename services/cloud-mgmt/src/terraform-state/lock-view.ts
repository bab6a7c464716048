import type { StateLock } from '@crate/api';
import { observeProcessGroup, type GroupState, type ProcessIdentity, type RunLiveness } from '@crate/process';
import { livenessOf, type RunEnding } from '../terraform-run/run-ending.js';
import type { TerraformRun, TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import type { HeldLock, StateLocks } from './state-locks.js';

/** A run tells that it lives every ten seconds; between two commands it has no process. */
export const SILENT_HERE_MS = 35_000;

/** Terraform gives no sign while a person thinks; nobody thinks for that long. */
export const SILENT_PERSON_MS = 60 * 60_000;

export interface LockViewParts extends Pick<RunEnding, 'silentAfterMs' | 'liveness'> {
  readonly locks: Pick<StateLocks, 'find'>;
  readonly runs: Pick<TerraformRunRepository, 'listOpen' | 'now'>;
  readonly observe?: (identity: ProcessIdentity) => Promise<GroupState>;
}

/** Says of a lock whether its holder lives. Looks, and ends nothing. */
export class LockView {
  private readonly liveness: RunLiveness;

  constructor(private readonly parts: LockViewParts) {
    this.liveness = livenessOf(parts.runs, parts);
  }

  /** Undefined when nobody holds it. `epoch` of a pass that asks: an older run has lost its lease to it. */
  async current(infrastructureUid: string, epoch?: bigint): Promise<StateLock | undefined> {
    const held = await this.parts.locks.find(infrastructureUid);
    return held && this.of(held, epoch);
  }

  /** As `current`, of a lock that was found. */
  async of(held: HeldLock, epoch?: bigint): Promise<StateLock> {
    const { holder, operation, since, seenAt } = held;
    const isLive = held.isByHand
      ? (await this.silentMs(seenAt)) <= SILENT_PERSON_MS
      : await this.isRunAlive(held, epoch);
    return {
      holder,
      operation,
      since: since.toISOString(),
      state: isLive ? 'live' : 'orphaned',
      ...(held.isByHand ? { lastSeen: seenAt.toISOString() } : {}),
      ...(held.epoch === undefined ? {} : { epoch: String(held.epoch) }),
    };
  }

  private async isRunAlive({ infrastructureUid, id }: HeldLock, epoch = 0n): Promise<boolean> {
    const run = (await this.parts.runs.listOpen(infrastructureUid)).find((open) => open.id === id);
    return run !== undefined && this.isAlive(run, epoch);
  }

  /** Whether an open run goes on, as far as can be seen from here. */
  async isAlive(run: TerraformRun, epoch = 0n): Promise<boolean> {
    switch (await this.groupOf(run)) {
      case 'alive':
        return true;
      case 'gone':
        return run.epoch >= epoch && (await this.silentMs(run.heartbeatAt)) <= SILENT_HERE_MS;
      case 'elsewhere':
        return !(await this.liveness.isSilent(run));
    }
  }

  private async silentMs(since: Date): Promise<number> {
    return (await this.parts.runs.now()).getTime() - since.getTime();
  }

  /** A run that never let a command go has no process that could be anywhere. */
  private async groupOf({ identity }: TerraformRun): Promise<GroupState> {
    return identity ? (this.parts.observe ?? observeProcessGroup)(identity) : 'gone';
  }
}
