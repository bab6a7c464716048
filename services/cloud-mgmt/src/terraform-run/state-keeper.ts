import type { SecretStore } from '@crate/secrets';
import { parseState, type StoreState, type TerraformState, type TerraformWorkspace } from '@crate/terraform';

/** Kind under which states lie in the secret store. */
const STATE_KIND = 'terraform-state';

/** Keeps the Terraform state of each Infrastructure, encrypted, in every version. */
export class StateKeeper {
  constructor(private readonly secrets: SecretStore) {}

  /** Serial of the newest stored state; undefined when there is none. */
  async findSerial(infrastructureUid: string): Promise<number | undefined> {
    return (await this.secrets.versions(infrastructureUid, STATE_KIND)).at(-1)?.serial;
  }

  /** The newest stored state; undefined when there is none. */
  async find(infrastructureUid: string): Promise<TerraformState | undefined> {
    const stored = await this.secrets.find(infrastructureUid, STATE_KIND);
    return parseState(stored?.plain);
  }

  /** How many cloud resources the newest stored state knows of. */
  async countResources(infrastructureUid: string): Promise<number> {
    return (await this.find(infrastructureUid))?.resources.length ?? 0;
  }

  /**
   * Makes the newest copy of the state the one in the workspace and the one in the store: a crash may have left either behind.
   * Fences older passes out. Throws Conflict when this pass is one.
   */
  async recover(
    infrastructureUid: string,
    workspace: TerraformWorkspace,
    epoch: bigint,
  ): Promise<TerraformState | undefined> {
    const stored = await this.secrets.find(infrastructureUid, STATE_KIND);
    const state = await workspace.recover(stored?.plain);
    if (state) await this.storing(infrastructureUid, epoch)(state.bytes);
    return state;
  }

  /** Stores what it is given as the newest state. Throws Conflict when a newer pass has stored one. */
  storing(infrastructureUid: string, epoch: bigint): StoreState {
    return async (bytes) => {
      await this.secrets.put(infrastructureUid, STATE_KIND, bytes, { epoch });
    };
  }
}
