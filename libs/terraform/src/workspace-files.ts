import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newestState, parseState, type TerraformState } from './state-file.js';

const CONFIGURATION = 'main.tf.json';
/** The state that Terraform works on. */
export const STATE = 'terraform.tfstate';
const STATE_BACKUP = 'terraform.tfstate.backup';
/** Terraform leaves it when it could not write the state where it belongs. */
const ERRORED_STATE = 'errored.tfstate';
/** Which edit of the stored state the files descend from. */
const EDIT = '.state-edit';
/** The newest epoch that took up the state here. */
const EPOCH = '.state-epoch';
const LOCK_INFO = '.terraform.tfstate.lock.info';

/** What tells copies of a state that are out of date, whatever their serial says. */
export interface StateOrigin {
  /**
   * Numbers the last time that somebody put another state in place, later ones by greater numbers: copies that descend from an earlier one
   * do not count. Those of a later one do: the database was set back.
   */
  readonly edit?: number | undefined;
  /** Epoch of whoever stated what is stored last: copies of an older one were made by somebody who had lost the right to. */
  readonly fence?: bigint | undefined;
  /** Of whoever takes the state up now. */
  readonly epoch?: bigint | undefined;
}

/** The files of one workspace. It may hold secrets, so nobody else may look into it. */
export class WorkspaceFiles {
  constructor(readonly directory: string) {}

  get stateFile(): string {
    return join(this.directory, STATE);
  }

  async ensureDirectory(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
  }

  /** Writes the configuration unless it is there already. */
  async ensureConfiguration(configuration: unknown): Promise<void> {
    const text = `${JSON.stringify(configuration, undefined, 1)}\n`;
    if ((await this.readText(CONFIGURATION)) !== text) await this.writeWhole(CONFIGURATION, text);
  }

  /** The state that is in the file; undefined for none, and for what a killed write left. */
  async readState(): Promise<TerraformState | undefined> {
    return this.readStateFrom(STATE);
  }

  /**
   * Makes the newest copy of the state the one that Terraform works on: of the file, what an interrupted run left beside it, and `stored`.
   * Copies that `origin` shows to be out of date go, whatever their serial says.
   * Call it only while no run of this workspace is alive. Gives undefined when there is no state at all. Idempotent.
   */
  async recoverState(stored: Uint8Array | undefined, origin: StateOrigin = {}): Promise<TerraformState | undefined> {
    const { edit, fence, epoch } = origin;
    const isEdited = edit !== undefined && isBefore(await this.readNumber(EDIT), edit);
    const known = await this.readNumber(EPOCH);
    // Without a note nothing is known: the workspace is from before there were any.
    const isOutOfDate = isEdited || (known !== undefined && fence !== undefined && known < fence);
    if (isOutOfDate) for (const name of [STATE, ERRORED_STATE, STATE_BACKUP]) await this.remove(name);
    const state = await this.newestOf(stored);
    // Last: until then all of this is done again.
    if (isEdited) await this.writeWhole(EDIT, String(edit));
    if (epoch !== undefined && epoch > (known ?? -1n)) await this.writeWhole(EPOCH, String(epoch));
    return state;
  }

  private async newestOf(stored: Uint8Array | undefined): Promise<TerraformState | undefined> {
    const copies = await Promise.all([STATE, ERRORED_STATE, STATE_BACKUP].map((name) => this.readStateFrom(name)));
    const known = parseState(stored);
    // What is stored has the say about which state this is.
    const newest = newestState([...copies, known], known?.lineage);
    const [current] = copies;
    if (newest && current !== newest) await this.writeWhole(STATE, newest.bytes);
    // Terraform takes an empty file for an empty state; one that is half written it refuses.
    if (!newest) await this.remove(STATE);
    await this.remove(ERRORED_STATE);
    await this.remove(LOCK_INFO);
    return newest;
  }

  /** Removes a file of the workspace; none is fine. */
  async remove(name: string): Promise<void> {
    await rm(join(this.directory, name), { force: true });
  }

  async removeAll(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  private async readStateFrom(name: string): Promise<TerraformState | undefined> {
    return parseState(await readFile(join(this.directory, name)).catch(() => undefined));
  }

  private async readNumber(name: string): Promise<bigint | undefined> {
    const text = await this.readText(name);
    return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined;
  }

  private async readText(name: string): Promise<string | undefined> {
    return readFile(join(this.directory, name), 'utf8').catch(() => undefined);
  }

  /** Whole or not at all, also when the machine fails. */
  private async writeWhole(name: string, content: string | Uint8Array): Promise<void> {
    const draft = join(this.directory, `.${name}.tmp`);
    await writeFile(draft, content, { mode: 0o600, flush: true });
    await rename(draft, join(this.directory, name));
  }
}

/** Also where no edit was noted. */
function isBefore(noted: bigint | undefined, edit: number): boolean {
  return noted === undefined || noted < BigInt(edit);
}
