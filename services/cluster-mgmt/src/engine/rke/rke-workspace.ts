import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { EngineConfig } from '../engine-config.js';
import { SSH_KEY_FILE } from './rke-config.js';

const CONFIG_FILE = 'cluster.yml';
const STATE_FILE = 'cluster.rkestate';
const KUBECONFIG_FILE = 'kube_config_cluster.yml';

/**
 * The private folder one run works in. It holds keys in the clear, so it lives as short as the run and
 * best in memory (see `engineWorkspaceRoot`); only its owner may read it.
 */
export class RkeWorkspace {
  constructor(readonly folder: string) {}

  get configPath(): string {
    return join(this.folder, CONFIG_FILE);
  }

  async create(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  async writeConfig(config: EngineConfig): Promise<void> {
    // RKE reads YAML 1.1, where a bare yes, off or n is no text.
    const text = stringify(config, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 });
    await this.write(CONFIG_FILE, text);
  }

  async writeSshKey(privateKey: Uint8Array): Promise<void> {
    await this.write(SSH_KEY_FILE, privateKey);
  }

  /** Idempotent. */
  async removeSshKey(): Promise<void> {
    await rm(join(this.folder, SSH_KEY_FILE), { force: true });
  }

  async writeState(state: Uint8Array): Promise<void> {
    await this.write(STATE_FILE, state);
  }

  /** Undefined when there is none, or none that is whole: the engine writes it in place. */
  async readState(): Promise<Uint8Array | undefined> {
    const state = await this.read(STATE_FILE);
    return state && isJson(state) ? state : undefined;
  }

  async readKubeconfig(): Promise<string | undefined> {
    return (await this.read(KUBECONFIG_FILE))?.toString('utf8');
  }

  /** Idempotent. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async read(file: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.folder, file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  private async write(file: string, content: string | Uint8Array): Promise<void> {
    const temporary = join(this.folder, `${file}.new`);
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, join(this.folder, file));
  }
}

/** The folders under `root`: of open runs, and left by runs of a process that died. */
export async function listWorkspaces(root: string): Promise<readonly RkeWorkspace[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => new RkeWorkspace(join(root, name)));
}

function isJson(content: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(content).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
