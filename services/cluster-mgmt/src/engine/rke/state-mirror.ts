import { setTimeout as delay } from 'node:timers/promises';
import type { SecretFacts, SecretStore } from '@crate/secrets';
import { nameDamage } from '../../engine-state/engine-state-damage.js';
import { engineStateFacts } from '../../engine-state/engine-state-facts.js';
import { withLeftOutNodes } from '../../engine-state/left-out-nodes.js';
import { withUnsyncedMarks } from '../../engine-state/unsynced-marks.js';
import { SECRET_KINDS } from '../secret-kinds.js';
import type { RkeLogLine } from './rke-log.js';
import type { RkeWorkspace } from './rke-workspace.js';

const LOOK_EVERY_MS = 250;
/** What the engine says once labels and taints are on the nodes. */
const SYNCED = /^\[sync\] Successfully synced nodes Labels and Taints/;

export interface StateMirrorOptions {
  readonly secrets: SecretStore;
  readonly workspace: RkeWorkspace;
  readonly clusterUid: string;
  /** Run that writes the file. */
  readonly runId: string;
  readonly epoch: bigint;
  /** Serial of the only version that may be written over, 0: of none. Absent while an open run keeps everybody else away. */
  readonly after?: number;
}

/**
 * Copies the engine's state file into the secret store whenever it changed: the file dies with the host. Machines that the engine left
 * out because it could not reach them are kept in the copy, and so are labels and taints that it has not changed on nodes yet.
 */
export class StateMirror {
  /** The file as it was copied last, and whether that was of a run that had changed labels and taints. */
  private last: { readonly file: Buffer; readonly isSynced: boolean } | undefined;
  private isSynced = false;

  constructor(private readonly options: StateMirrorOptions) {}

  /** Takes a line of the engine's log. */
  read({ message }: RkeLogLine): void {
    if (SYNCED.test(message)) this.isSynced = true;
  }

  /**
   * Writes the stored state into the workspace, for the engine to go on from, and fences older holders out: what one of them would put in its
   * place now, the run would write over. Throws Conflict when a newer pass has taken over, or somebody has put another one in place this moment.
   */
  async restore(): Promise<void> {
    const { secrets, workspace, clusterUid, epoch, runId: run } = this.options;
    const stored = await secrets.find(clusterUid, SECRET_KINDS.engineState).catch(nameDamage);
    if (!stored) return;
    const facts = (): SecretFacts => engineStateFacts(stored.plain, run);
    const options = { epoch, after: stored.serial, facts };
    await secrets.put(clusterUid, SECRET_KINDS.engineState, stored.plain, options).catch(nameDamage);
    this.last = { file: Buffer.from(stored.plain), isSynced: false };
    await workspace.writeState(stored.plain);
  }

  /** Stores the file if it changed since the last look. Throws Conflict when a newer pass has taken over, or there is a newer version than `after`. */
  async sync(): Promise<void> {
    const { secrets, workspace, clusterUid, epoch, after, runId: run } = this.options;
    // Before the file is read: the engine may change it, and say so, while it is stored.
    const { isSynced } = this;
    const written = await workspace.readState();
    if (!written || (this.last?.isSynced === isSynced && this.last.file.equals(written))) return;
    const stored = await secrets.find(clusterUid, SECRET_KINDS.engineState).catch(nameDamage);
    const reached = withLeftOutNodes(written, stored?.plain);
    const state = isSynced ? reached : withUnsyncedMarks(reached, stored?.plain);
    const facts = (): SecretFacts => engineStateFacts(state, run);
    const options = { epoch, facts, ...(after === undefined ? {} : { after }) };
    await secrets.put(clusterUid, SECRET_KINDS.engineState, state, options).catch(nameDamage);
    this.last = { file: Buffer.from(written), isSynced };
  }

  /** Keeps looking until `signal` fires. A failed copy is tried again at the next look; the last `sync` of a run tells. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      await this.sync().catch(() => undefined);
    }
  }
}
