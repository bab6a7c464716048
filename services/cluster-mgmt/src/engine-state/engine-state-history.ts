import { ENGINE_STATE_VERSION, toTimestamp, type KubernetesCluster } from '@crate/api';
import { notFound } from '@crate/errors';
import type { SecretStore, SecretVersion } from '@crate/secrets';
import type { RestoreEdit, StateComparison } from '@crate/service-host';
import { objectDifference } from '@crate/terraform';
import type { EngineRun, EngineRunRepository } from '../engine/engine-run.repository.js';
import { SECRET_KINDS } from '../engine/secret-kinds.js';
import { engineAtWork, type EngineLockView } from './engine-lock-view.js';
import { refuseDamaged } from './engine-state-damage.js';
import { restoredEngineStateFacts } from './engine-state-facts.js';
import { engineStateObjects } from './engine-state-objects.js';

const KIND = SECRET_KINDS.engineState;

interface OpenedVersion {
  readonly version: SecretVersion;
  readonly plain: Uint8Array;
}

export interface EngineStateHistoryParts {
  readonly secrets: SecretStore;
  readonly runs: Pick<EngineRunRepository, 'edit'>;
  readonly locks: Pick<EngineLockView, 'of'>;
}

/** The versions of engine states, and what people do with them. */
export class EngineStateHistory {
  constructor(private readonly parts: EngineStateHistoryParts) {}

  /** Newest first. */
  async list(uid: string): Promise<readonly SecretVersion[]> {
    return [...(await this.parts.secrets.versions(uid, KIND))].reverse();
  }

  /** Compares two versions; `from` is the one before. Throws NotFound for one that is not kept, Conflict for one that was changed. */
  async diff(uid: string, from: number, to: number): Promise<StateComparison> {
    const [older, newer] = [await this.open(uid, from), await this.open(uid, to)];
    const difference = objectDifference(engineStateObjects(older.plain), engineStateObjects(newer.plain));
    return { ...difference, from: sideOf(older), to: sideOf(newer) };
  }

  /**
   * Puts the content of an older version in place as a new one, over a damaged one too. The engine runs again with it. Throws Conflict
   * (`StateLocked`) while it is at work. Gives the serial of the new version.
   */
  async restore({ metadata, status }: KubernetesCluster, serial: number, edit: RestoreEdit): Promise<number> {
    const { uid, name, namespace = '' } = metadata;
    const { plain } = await this.open(uid, serial);
    const requireDead = async (run: EngineRun): Promise<void> => {
      const lock = await this.parts.locks.of(run, { namespace, name });
      if (lock.state === 'live') throw engineAtWork(lock);
    };
    return this.parts.runs.edit(uid, requireDead, async (epoch) => {
      const [newest] = await this.list(uid);
      return this.parts.secrets.put(uid, KIND, plain, {
        epoch,
        after: newest?.serial ?? 0,
        heal: { above: status?.stateSerial ?? 0 },
        facts: () => restoredEngineStateFacts(plain, { ...edit, restored: serial }),
      });
    });
  }

  private async open(uid: string, serial: number): Promise<OpenedVersion> {
    const version = (await this.list(uid)).find((each) => each.serial === serial);
    const found = version && (await this.parts.secrets.findVersion(uid, KIND, serial).catch(refuseDamaged));
    const { plural, group } = ENGINE_STATE_VERSION;
    if (!found) throw notFound(plural, String(serial), group);
    return { version, plain: found.plain };
  }
}

function sideOf({ version: { serial, createdAt, facts } }: OpenedVersion): StateComparison['from'] {
  const lineage = facts?.['lineage'];
  return { serial, createdAt: toTimestamp(createdAt), ...(typeof lineage === 'string' ? { lineage } : {}) };
}
