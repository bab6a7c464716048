import { join } from 'node:path';
import { toPlatformError } from '@crate/errors';
import type { ProcessIdentity } from '@crate/process';
import { InitMarker, needsNoInit } from './init-marker.js';
import type { TerraformPlan } from './plan-document.js';
import type { PluginCache } from './plugin-cache.js';
import { StateMirror, type StoreState } from './state-mirror.js';
import type { TerraformState } from './state-file.js';
import {
  runTerraform,
  runTerraformForJson,
  type CommandSettings,
  type TerraformRunOptions,
} from './terraform-command.js';
import { terraformFailureOf } from './terraform-error.js';
import type { ChangeSummary } from './terraform-event.js';
import { STATE, WorkspaceFiles, type StateOrigin } from './workspace-files.js';

const PLAN = 'plan.tfplan';
/** A state to try an import on. */
const TRIAL_STATE = 'trial.tfstate';
/** A workspace, as Terraform calls it, that nothing is ever planned in. */
const STATELESS = 'crate-init';
/** Of the last `init`. */
const DEPENDENCY_LOCK = '.terraform.lock.hcl';
/** What lies there is linked from the plugin cache. */
const PROVIDERS = join('.terraform', 'providers');
const EVERYWHERE = ['-input=false', '-no-color'];
const NOTHING: ChangeSummary = { add: 0, change: 0, remove: 0, import: 0 };

export interface PlanOptions extends TerraformRunOptions {
  /** Plans to take everything away. */
  readonly destroy?: boolean;
  /** Compares the state with what the provider has, and plans nothing else; such a plan is looked at, not applied. */
  readonly refreshOnly?: boolean;
}

/** What was stored before this process is killed is what the next run goes on from. */
export interface ApplyOptions extends TerraformRunOptions {
  /** Called with the state after every change of it, and at the end; Conflict stops the run. */
  readonly storeState: StoreState;
  /** Changes one resource after the other, instead of ten at a time. */
  readonly oneAtATime?: boolean;
}

export interface InstallationSettings {
  readonly plugins: PluginCache;
  /** As `CommandSettings.graceMs`: half of a provider helps nobody, whatever is to be done with it. */
  readonly graceMs: number;
}

/**
 * The durable directory of one infrastructure: its configuration, its local state, the plan that is to be applied.
 * One run at a time; whoever opens it proves earlier ones dead first. `TerraformRunner` makes it.
 */
export class TerraformWorkspace {
  private readonly files: WorkspaceFiles;
  private readonly marker: InitMarker;

  constructor(
    private readonly settings: CommandSettings,
    private readonly installation: InstallationSettings,
  ) {
    this.files = new WorkspaceFiles(settings.directory);
    this.marker = new InitMarker(settings.directory, settings.binary);
  }

  /**
   * Makes the directory, and the newest of all copies of the state the one to work on: what is in the directory, also what an
   * interrupted run left, and `stored`. Gives that state. Only while no run is alive. Idempotent.
   * Copies that `origin` shows to be out of date do not count.
   */
  async recover(stored: Uint8Array | undefined, origin?: StateOrigin): Promise<TerraformState | undefined> {
    await this.files.ensureDirectory();
    return this.files.recoverState(stored, origin);
  }

  /** The state in the directory; undefined when there is none. */
  async readState(): Promise<TerraformState | undefined> {
    return this.files.readState();
  }

  /** Writes the configuration (Terraform's JSON syntax) and installs what it needs, unless that is done already. */
  async prepare(configuration: unknown, run: TerraformRunOptions): Promise<{ readonly initialised: boolean }> {
    await this.files.ensureDirectory();
    await this.files.ensureConfiguration(configuration);
    if (needsNoInit(configuration, run.env['TF_REATTACH_PROVIDERS'])) return { initialised: false };
    if (await this.isInstalled(configuration)) return { initialised: false };
    await this.marker.clear();
    // Versions are exact: what another release locked would only keep this one's from being installed.
    await this.files.remove(DEPENDENCY_LOCK);
    await this.install(run);
    await this.marker.set(configuration);
    return { initialised: true };
  }

  private async isInstalled(configuration: unknown): Promise<boolean> {
    return (await this.marker.isCurrent(configuration)) && this.installation.plugins.noteUse(this.links);
  }

  private get links(): string {
    return join(this.settings.directory, PROVIDERS);
  }

  private async install(run: TerraformRunOptions): Promise<void> {
    const { plugins, graceMs } = this.installation;
    await plugins.install(this.links, (noteInstaller) => {
      const onStart = async (identity: ProcessIdentity): Promise<void> => {
        await noteInstaller(identity);
        await run.onStart?.(identity);
      };
      // Where there is no state, or `init` would also install, from wherever it says, what a state names that somebody has pushed.
      const env = { ...run.env, TF_WORKSPACE: STATELESS };
      return runTerraform({ ...this.settings, graceMs }, ['init', ...EVERYWHERE], { ...run, env, onStart });
    });
  }

  /**
   * Takes an object that exists already into the state, under an address of the configuration. False when the provider does not
   * have it (any more), or the address is taken; throws TerraformError for every other reason: nobody knows then whether it is there.
   */
  async importObject(address: string, id: string, run: TerraformRunOptions): Promise<boolean> {
    if (await this.has(address)) return false;
    return this.importInto(STATE, address, id, run);
  }

  /**
   * The same for an address that may be taken: what holds it is forgotten, but not before the provider has shown the object. False,
   * and nothing is changed, when it does not have it. Throws as `importObject`.
   */
  async importInstead(address: string, id: string, run: TerraformRunOptions): Promise<boolean> {
    try {
      if (!(await this.importInto(TRIAL_STATE, address, id, run))) return false;
    } finally {
      await this.files.remove(TRIAL_STATE);
    }
    await this.forget(address, run);
    return this.importObject(address, id, run);
  }

  private async importInto(state: string, address: string, id: string, run: TerraformRunOptions): Promise<boolean> {
    try {
      await runTerraform(this.settings, ['import', ...EVERYWHERE, `-state=${state}`, '-backup=-', address, id], run);
      return true;
    } catch (error) {
      if (terraformFailureOf(error)?.code === 'ReferenceNotFound') return false;
      throw error;
    }
  }

  private async has(address: string): Promise<boolean> {
    const state = await this.readState();
    return state?.resources.some((resource) => resource.address === address) ?? false;
  }

  /** Takes an address out of the state, and leaves what stands in the cloud as it is. False when the state did not have it. */
  async forget(address: string, run: TerraformRunOptions): Promise<boolean> {
    if (!(await this.has(address))) return false;
    await runTerraform(this.settings, ['state', 'rm', '-backup=-', address], run);
    return true;
  }

  /** Plans and keeps the plan for `showPlan` and `apply`. Throws TerraformError. */
  async plan(options: PlanOptions): Promise<TerraformPlan> {
    let summary = NOTHING;
    let isStateStale = false;
    const mode = [...(options.destroy ? ['-destroy'] : []), ...(options.refreshOnly ? ['-refresh-only'] : [])];
    const args = ['plan', ...mode, '-json', ...EVERYWHERE, '-detailed-exitcode', `-out=${PLAN}`];
    const run: TerraformRunOptions = {
      ...options,
      onEvent: (event) => {
        if (event.type === 'change_summary') summary = event.changes;
        if (event.type === 'resource_drift') isStateStale = true;
        options.onEvent?.(event);
      },
    };
    try {
      const { exitCode } = await runTerraform(this.settings, args, run, [0, 2]);
      return { hasChanges: exitCode === 2, isStateStale, summary };
    } catch (error) {
      // Whatever is wrong with the installation, the next attempt installs anew.
      if (terraformFailureOf(error)?.code === 'ProviderNotInstalled') await this.marker.clear();
      throw error;
    }
  }

  /** `terraform show -json` of the plan. May hold sensitive values: see `maskPlanDocument`. */
  async showPlan(run: TerraformRunOptions): Promise<Record<string, unknown>> {
    return runTerraformForJson(this.settings, ['show', '-json', '-no-color', PLAN], run);
  }

  /** Removes a plan that nobody is going to apply. Idempotent. */
  async discardPlan(): Promise<void> {
    await this.files.remove(PLAN);
  }

  /**
   * Applies exactly the plan made before. The state is handed to `storeState` on every change, and once more at the end, whatever happened.
   * Throws TerraformError, or Conflict when a newer holder took over.
   */
  async apply(options: ApplyOptions): Promise<TerraformState | undefined> {
    const fenced = new AbortController();
    const mirror = new StateMirror({
      file: this.files.stateFile,
      store: options.storeState,
      onFenced: (error) => fenced.abort(error),
    });
    const signal = AbortSignal.any([fenced.signal, ...(options.signal ? [options.signal] : [])]);
    const mode = [...EVERYWHERE, '-backup=-', ...(options.oneAtATime ? ['-parallelism=1'] : [])];
    try {
      await runTerraform(this.settings, ['apply', '-json', ...mode, PLAN], { ...options, signal });
    } catch (error) {
      // A state that Terraform could not write where it belongs is taken up before it is mirrored for the last time.
      // Where that fails the next run does it; the mirror ends in any case, with what is there.
      await this.files.recoverState(undefined).catch((failure: unknown) => options.onLog?.(notTakenUp(failure)));
      await mirror.finish();
      throw error;
    } finally {
      await this.files.remove(PLAN);
    }
    await mirror.finish();
    return this.files.readState();
  }

  /** Removes the directory with everything in it. Idempotent. */
  async remove(): Promise<void> {
    await this.files.removeAll();
  }
}

function notTakenUp(failure: unknown): string {
  return `=== taking up what Terraform left beside its state failed: ${toPlatformError(failure).message}`;
}
