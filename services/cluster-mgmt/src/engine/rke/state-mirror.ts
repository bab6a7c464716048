import { setTimeout as delay } from 'node:timers/promises';
import { secretDamageOf, type SecretDamage, type SecretStore } from '@crate/secrets';
import { engineFailure, type EngineFailureCode } from '../engine-failure.js';
import { SECRET_KINDS } from '../secret-kinds.js';
import type { RkeWorkspace } from './rke-workspace.js';

const LOOK_EVERY_MS = 250;

export interface StateMirrorOptions {
  readonly secrets: SecretStore;
  readonly workspace: RkeWorkspace;
  readonly clusterUid: string;
  /** Run that writes the file. */
  readonly runId: string;
  readonly epoch: bigint;
}

const DAMAGES: Readonly<Record<SecretDamage, readonly [EngineFailureCode, string]>> = {
  tampered: ['StateTampered', 'The stored engine state was changed outside of the platform'],
  rolledBack: ['StateRolledBack', 'The stored engine state is older than the one that was stored last'],
  foreign: ['StateForeign', 'The stored engine state is that of another cluster'],
};

/** Copies the engine's state file into the secret store whenever it changed: the file dies with the host. */
export class StateMirror {
  private last: Buffer | undefined;

  constructor(private readonly options: StateMirrorOptions) {}

  /** Writes the stored state into the workspace, for the engine to go on from. */
  async restore(): Promise<void> {
    const { secrets, workspace, clusterUid } = this.options;
    const stored = await secrets.find(clusterUid, SECRET_KINDS.engineState).catch(nameDamage);
    if (!stored) return;
    this.last = Buffer.from(stored.plain);
    await workspace.writeState(stored.plain);
  }

  /** Stores the file if it changed since the last look. Throws Conflict when a newer pass has taken over. */
  async sync(): Promise<void> {
    const { secrets, workspace, clusterUid, epoch, runId: run } = this.options;
    const state = await workspace.readState();
    if (!state || this.last?.equals(state)) return;
    const facts = (): { readonly run: string } => ({ run });
    await secrets.put(clusterUid, SECRET_KINDS.engineState, state, { epoch, facts }).catch(nameDamage);
    this.last = Buffer.from(state);
  }

  /** Keeps looking until `signal` fires. A failed copy is tried again at the next look; the last `sync` of a run tells. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      await this.sync().catch(() => undefined);
    }
  }
}

/** Rethrows; a state that is not the one that was stored last gets its name. */
function nameDamage(error: unknown): never {
  const damage = secretDamageOf(error);
  throw damage ? engineFailure(...DAMAGES[damage], error) : error;
}
