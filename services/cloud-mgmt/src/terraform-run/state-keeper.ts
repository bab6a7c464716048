import { secretDamageOf, type OpenedSecret, type PutOptions, type SecretFacts, type SecretStore } from '@crate/secrets';
import { parseState, type StoreState, type TerraformState, type TerraformWorkspace } from '@crate/terraform';
import { stateDamaged } from '../terraform-state/state-damage.js';
import { editOf, STATE_KIND, stateFacts } from '../terraform-state/state-facts.js';

/** What a workspace and the store agree on. */
export interface RecoveredState {
  readonly state: TerraformState | undefined;
  /** Of the version in the store; undefined when there is none. */
  readonly serial: number | undefined;
}

/** Keeps the Terraform state of each Infrastructure, encrypted, in every version. */
export class StateKeeper {
  constructor(private readonly secrets: SecretStore) {}

  /** Serial of the newest stored state; undefined when there is none. */
  async findSerial(infrastructureUid: string): Promise<number | undefined> {
    return (await this.secrets.versions(infrastructureUid, STATE_KIND)).at(-1)?.serial;
  }

  /** The newest stored state, for whoever only looks; undefined when there is none. Throws as `open` does. */
  async find(infrastructureUid: string): Promise<TerraformState | undefined> {
    return parseState((await this.open(infrastructureUid))?.plain);
  }

  /** How many cloud resources the newest stored state knows of. Throws as `open` does. */
  async countResources(infrastructureUid: string): Promise<number> {
    return (await this.find(infrastructureUid))?.resources.length ?? 0;
  }

  /**
   * The newest stored state, proven to be the one that was stored last; undefined when there is none. Throws Conflict with the reason
   * `StateTampered`, `StateRolledBack` or `StateForeign`; the second also when its serial is below `atLeast`.
   */
  async open(infrastructureUid: string, atLeast = 0): Promise<OpenedSecret | undefined> {
    const stored = await this.secrets.find(infrastructureUid, STATE_KIND).catch((error: unknown) => {
      const damage = secretDamageOf(error);
      throw damage ? stateDamaged(damage, error) : error;
    });
    if ((stored?.serial ?? 0) < atLeast) throw stateDamaged('rolledBack');
    return stored;
  }

  /**
   * Makes the newest copy of the state the one in the workspace and the one in the store: a crash may have left either behind.
   * What a person has put in place counts more than copies from before. Fences older passes out. Throws Conflict when this pass is one,
   * or when somebody puts a state in place meanwhile, and as `open` does.
   */
  async recover(infrastructureUid: string, workspace: TerraformWorkspace, epoch: bigint): Promise<RecoveredState> {
    const stored = await this.open(infrastructureUid);
    const state = await workspace.recover(stored?.plain, { ...originOf(stored), epoch });
    if (!state) return { state, serial: stored?.serial };
    const after = stored?.serial ?? 0;
    return { state, serial: await this.put(infrastructureUid, state.bytes, { epoch, after }) };
  }

  /** The same for whoever only looks: what is in the workspace becomes the newest copy, and nothing is stored. Throws as `open` does. */
  async takeUp(infrastructureUid: string, workspace: TerraformWorkspace, epoch: bigint): Promise<void> {
    const stored = await this.open(infrastructureUid);
    await workspace.recover(stored?.plain, { ...originOf(stored), epoch });
  }

  /** Stores what it is given as the newest state. Throws Conflict when a newer pass has stored one. */
  storing(infrastructureUid: string, epoch: bigint, runId?: string): StoreState {
    return async (bytes) => {
      await this.put(infrastructureUid, bytes, { epoch }, runId);
    };
  }

  private put(uid: string, bytes: Uint8Array, options: Omit<PutOptions, 'facts'>, run?: string): Promise<number> {
    const facts = (_serial: number, before: SecretFacts | undefined): SecretFacts =>
      stateFacts(bytes, { before, ...(run === undefined ? {} : { run }) });
    return this.secrets.put(uid, STATE_KIND, bytes, { ...options, facts });
  }
}

/** By what a workspace tells which of its copies are out of date. */
function originOf(stored: OpenedSecret | undefined): {
  readonly edit: number | undefined;
  readonly fence: bigint | undefined;
} {
  return { edit: editOf(stored?.facts), fence: stored?.fence };
}
