import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PluginCache } from './plugin-cache.js';
import type { TerraformBinary } from './terraform-binary.js';
import { TerraformWorkspace } from './terraform-workspace.js';

/** Terraform finishes what is in flight first, and cloud calls take their time. */
const DEFAULT_GRACE_MS = 120_000;
const LOOK_GRACE_MS = 2_000;

export interface TerraformRunnerOptions {
  readonly binary: TerraformBinary;
  /** Durable directory that holds one workspace per infrastructure. */
  readonly directory: string;
  /** Directories with programs, as in `PATH`. */
  readonly path: string;
  /** Further variables of every run, such as `outgoingVariables`. */
  readonly env?: Readonly<Record<string, string>>;
  /** From asking a run to stop until it is killed. Default 120,000: what is in flight is finished first. */
  readonly graceMs?: number;
}

/** Gives every infrastructure its workspace. How many are worked in at a time is for `TerraformSlots` to say. */
export class TerraformRunner {
  constructor(private readonly options: TerraformRunnerOptions) {}

  /** The workspace of `key`, a name that never changes, such as a uid. Makes the directories that all workspaces share. */
  async open(key: string): Promise<TerraformWorkspace> {
    return this.at(this.workspaceOf(key));
  }

  /** The same for commands that change nothing, neither in the cloud nor in the state: they are ended without much grace. */
  async openToLook(key: string): Promise<TerraformWorkspace> {
    return this.at(this.workspaceOf(key), LOOK_GRACE_MS);
  }

  /** An empty workspace for one look ahead, apart from all others; its user removes it. */
  async openScratch(): Promise<TerraformWorkspace> {
    return this.at(join(this.scratchDirectory, randomUUID()));
  }

  /** Removes scratch workspaces that a killed process left behind. Never throws. */
  async clearScratch(olderThanMs: number): Promise<void> {
    await removeOld(this.scratchDirectory, olderThanMs);
  }

  /** Removes the workspaces on this host that nobody has worked in for so long and that are not `kept`. Never throws itself. */
  async clearWorkspaces(olderThanMs: number, kept: (key: string) => boolean | Promise<boolean>): Promise<void> {
    await removeOld(this.workspacesDirectory, olderThanMs, (name) => {
      const key = keyOf(name);
      return key === undefined || kept(key);
    });
  }

  private workspaceOf(key: string): string {
    return join(this.workspacesDirectory, encodeURIComponent(key));
  }

  private get workspacesDirectory(): string {
    return join(this.options.directory, 'workspaces');
  }

  private get scratchDirectory(): string {
    return join(this.options.directory, 'scratch');
  }

  private async at(workspace: string, graceMs?: number): Promise<TerraformWorkspace> {
    const { binary, directory, path, graceMs: longGraceMs = DEFAULT_GRACE_MS } = this.options;
    const plugins = new PluginCache(join(directory, 'plugin-cache'), longGraceMs);
    await plugins.ensureDirectory();
    const env = {
      ...this.options.env,
      PATH: path,
      HOME: workspace,
      TF_PLUGIN_CACHE_DIR: plugins.directory,
      // Without a lock file Terraform would install past the cache, into it. Ours is of one workspace on one host and made anew with it,
      // so that checksums of other platforms, which it then lacks, are of no use to anybody.
      TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: '1',
      TF_IN_AUTOMATION: '1',
      TF_INPUT: '0',
      CHECKPOINT_DISABLE: '1',
    };
    const settings = { binary, directory: workspace, env, graceMs: graceMs ?? longGraceMs };
    return new TerraformWorkspace(settings, { plugins, graceMs: longGraceMs });
  }
}

/** Undefined for a folder that is no workspace: somebody else put it there. */
function keyOf(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** The time of a folder moves whenever a file is made, replaced or removed in it. */
async function removeOld(
  directory: string,
  olderThanMs: number,
  kept: (name: string) => boolean | Promise<boolean> = () => false,
): Promise<void> {
  for (const name of await readdir(directory).catch((): string[] => [])) {
    const path = join(directory, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age <= olderThanMs || (await kept(name))) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
